import CPostgreSQL

extension PostgreSQLConnection {
  /// Checks the parts of an address that libpq reports like a server that cannot be reached.
  static func check(_ options: UnsafePointer<PQconninfoOption>) throws(StorageFailure) {
    var option = options
    while let keyword = option.pointee.keyword {
      defer { option += 1 }
      guard let value = option.pointee.val.map({ String(cString: $0) }) else { continue }
      switch String(cString: keyword) {
      case "port":
        // One for each server; an empty one is the default.
        let ports = value.split(separator: ",")
        guard ports.allSatisfy({ Int($0).map((1...65_535).contains) ?? false }) else {
          throw .failed(.invalidPort)
        }
      case "sslmode":
        guard StorageFailure.sslModes.contains(value) else { throw .failed(.invalidSSLMode) }
      default: break
      }
    }
  }
}

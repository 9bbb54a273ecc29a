import ArgumentParser
import RecordServer

/// The place of a service's data, as an argument gives it.
enum StorageAddress {
  case directory(ServiceHome)
  case postgreSQL(String)

  var isPostgreSQL: Bool { if case .postgreSQL = self { true } else { false } }

  /// - Parameters:
  ///   - text: the path of a data directory, or the address of a PostgreSQL database.
  ///   - option: the option that has the text.
  /// - Throws: a `ValidationError` if it is an address that is not valid; a `ServiceCommandFailure`
  ///   if it is empty.
  init(_ text: String, option: String) throws {
    guard text.contains("://") else {
      self = .directory(try ServiceHome(data: text))
      return
    }
    try Self.validate(postgreSQL: text, option: option)
    self = .postgreSQL(text)
  }

  /// Checks the form of the address of a PostgreSQL database. Errors do not contain it, because it
  /// can have a password.
  static func validate(postgreSQL address: String, option: String) throws {
    guard ["postgresql://", "postgres://"].contains(where: address.hasPrefix) else {
      throw ValidationError(CommandMessages.unknownStorage(option))
    }
    // An error message of libpq would contain a part of the password.
    let isEncoded = address.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
      .allSatisfy { $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(\.isHexDigit) }
    // After a slash, libpq would take the beginning of the password for the port.
    let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let path = parts.dropFirst(3).first?.prefix { $0 != "?" } ?? ""
    guard isEncoded, address.count(where: { $0 == "@" }) <= 1, !path.contains("@") else {
      throw ValidationError(CommandMessages.unencodedStorage(option))
    }
  }
}

import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// The input of a command: a file, or standard input if the path is `-`.
enum InputText {
  /// Reads and parses a schema.
  ///
  /// - Throws: a `ServiceCommandFailure` with status 1 if the input cannot be read, and 3 if it is
  ///   not a valid schema.
  static func schema(_ path: String) throws(ServiceCommandFailure) -> Schema {
    do {
      return try Schema(parsing: try read(path, limit: Limits.schemaBytes + 1))
    } catch let error as SchemaSyntaxError {
      throw ServiceCommandFailure(
        .badData, CommandMessages.invalidSchema(path == "-" ? nil : path, error))
    } catch {
      throw ServiceCommandFailure(error)
    }
  }

  /// Reads a string.
  ///
  /// - Parameter limit: the maximum number of bytes; the rest is ignored. The caller refuses a
  ///   string of so many bytes.
  /// - Throws: a `ServiceCommandFailure` with status 1 if the input cannot be read, and 3 if it is
  ///   not UTF-8.
  static func read(_ path: String, limit: Int) throws(ServiceCommandFailure) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    func problem() -> ServiceCommandFailure {
      ServiceCommandFailure(.refused, CommandMessages.cannotReadInput(path, code: errno))
    }
    guard descriptor >= 0 else { throw problem() }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw problem()
      }
      bytes += buffer[..<count]
    }
    // The limit can be within a character.
    if bytes.count == limit { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceCommandFailure(.badData, CommandMessages.inputNotUTF8(path))
    }
    return text
  }
}

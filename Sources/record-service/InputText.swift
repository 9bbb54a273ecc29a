import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// A text that a command is given as a file, or as `-` on its input.
enum InputText {
  /// - Throws: status 1 where it cannot be read, 3 where it is no schema.
  static func schema(_ path: String) throws(CommandFailure) -> Schema {
    let name = path == "-" ? "The input" : path
    do {
      return try Schema(parsing: try read(path, limit: Limits.schemaBytes + 1))
    } catch let error as SchemaSyntaxError {
      throw CommandFailure(.badData, "\(name) is no schema, at \(error).")
    } catch {
      throw CommandFailure(error)
    }
  }

  /// - Parameter limit: bytes; the rest is left.
  private static func read(_ path: String, limit: Int) throws(CommandFailure) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    func problem() -> CommandFailure {
      CommandFailure(.refused, "\(path) cannot be read: \(String(cString: strerror(errno))).")
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
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(.badData, "\(path) is no text in UTF-8.")
    }
    return text
  }
}

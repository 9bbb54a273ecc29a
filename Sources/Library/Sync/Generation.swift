import GRDB
import Glibc

/// A counter of sync transactions, stored in the library and in a small file beside it. A library
/// with a lower number than the file was restored from a copy.
///
/// Only sync raises it. A copy that is made and restored between two syncs is therefore not
/// detected. That does no harm, because the copy has the same record states as the library that it
/// replaces.
struct Generation: Hashable, CustomStringConvertible {
  /// A random number that all copies of one library have.
  var lineage: UInt64
  var number: Int64

  static func first() -> Generation {
    Generation(lineage: .random(in: .min ... .max), number: 0)
  }

  /// Whether a library with this generation is an earlier state than the newest known one, or
  /// another library.
  func isRestored(comparedWith newest: Generation) -> Bool {
    lineage != newest.lineage || number < newest.number
  }

  /// Returns a generation of the lineage of `newest` with a larger number than both; without
  /// `newest`, this generation.
  func following(_ newest: Generation?) -> Generation {
    guard let newest else { return self }
    return Generation(lineage: newest.lineage, number: max(number, newest.number) + 1)
  }

  // MARK: The file beside the library

  static func path(beside library: String) -> String { library + ".generation" }

  var description: String { "\(lineage) \(number)" }

  /// Reads the newest known generation. Nil if there is no file, or no generation in it.
  ///
  /// - Parameter library: The path of the library, without symbolic links.
  init?(beside library: String) {
    let descriptor = open(Self.path(beside: library), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let parts =
      String(decoding: bytes[..<count], as: UTF8.self)
      .split(separator: "\n").first?.split(separator: " ") ?? []
    guard parts.count == 2, let lineage = UInt64(parts[0]), let number = Int64(parts[1]),
      Self.numbers.contains(number)
    else { return nil }
    self.init(lineage: lineage, number: number)
  }

  /// The valid numbers.
  static let numbers = 0..<Int64.max / 2

  init(lineage: UInt64, number: Int64) {
    self.lineage = lineage
    self.number = number
  }

  /// Writes the file. If that fails or the process is killed before, a restored copy may not be
  /// detected.
  func save(beside library: String) {
    let descriptor = open(
      Self.path(beside: library), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // A single write of a few bytes. Readers use the first line only.
    let bytes = Array("\(self)\n".utf8)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }
}

extension Database {
  /// Returns the generation of the library; nil if it was never synced, or the stored number is not
  /// valid.
  func generation() throws -> Generation? {
    try rows("SELECT lineage, number FROM generation") {
      Generation(lineage: UInt64(bitPattern: $0.int64(0)), number: $0.int64(1))
    }.first { Generation.numbers.contains($0.number) }
  }

  func setGeneration(_ generation: Generation) throws {
    try run(
      "INSERT OR REPLACE INTO generation VALUES (1, ?, ?)",
      Int64(bitPattern: generation.lineage), generation.number)
  }

  /// Raises the generation.
  ///
  /// - Returns: The new generation.
  func raiseGeneration() throws -> Generation {
    var generation = try generation() ?? .first()
    generation.number += 1
    try setGeneration(generation)
    return generation
  }
}

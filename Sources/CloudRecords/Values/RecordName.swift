/// The rules for the names of records: ASCII, 1…255 characters, no `_` at the beginning.
///
/// A name is unique in its zone across all record types. Names are plain strings elsewhere:
/// those a server sends are used as they are.
public enum RecordName {
  /// What keeps a name from being a new record's; nil where nothing does.
  ///
  /// - Parameter user: the caller's own user record name, which is allowed although it
  ///   begins with `_`: the record service keeps a user's profile under it (sync.md).
  public static func problem(with name: String, user: String? = nil) -> NameProblem? {
    if let user, name == user { return nil }
    return NameProblem(in: name, length: Limits.recordNameLength)
  }

  /// Whether a name has the form of a user's: `_` and 32 hexadecimal digits.
  public static func isUser(_ name: String) -> Bool {
    name.utf8.count == 33 && name.utf8.first == UInt8(ascii: "_")
      && name.utf8.dropFirst().allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }
}

/// What is wrong with a name.
public enum NameProblem: Hashable, Sendable {
  case empty
  case tooLong(limit: Int)
  /// It has a character outside U+0020…U+007E.
  case notASCII
  /// Such names are the system's.
  case underscore

  init?(in name: String, length: Int) {
    if name.isEmpty {
      self = .empty
    } else if name.utf8.first == UInt8(ascii: "_") {
      self = .underscore
    } else if !name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
      self = .notASCII
    } else if name.utf8.count > length {
      self = .tooLong(limit: length)
    } else {
      return nil
    }
  }
}

extension NameProblem: CustomStringConvertible {
  /// To follow a name: `must not be empty`.
  public var description: String {
    switch self {
    case .empty: "must not be empty"
    case .tooLong(let limit): "must not be longer than \(limit) characters"
    case .notASCII: "must be printable ASCII"
    case .underscore: "must not begin with \"_\""
    }
  }
}

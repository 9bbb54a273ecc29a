/// The rules for the names of new records: 1 to 255 printable ASCII characters, the first of which
/// is not `_`.
///
/// A name is unique in its zone across all record types. Names that a server sends are not checked.
public enum RecordNameRules {
  /// Returns the reason why a name is not valid for a new record; nil if it is valid.
  ///
  /// - Parameter user: The user record name of the account that sends the request. It is allowed
  ///   although it begins with `_`: the record service stores the user's profile under this name.
  public static func problem(withName name: String, user: String? = nil) -> NameProblem? {
    if let user, name == user { return nil }
    return NameProblem(in: name, limit: Limits.recordNameLength)
  }
}

/// The reason why a name is not valid for a new record, zone or subscription.
public enum NameProblem: Hashable, Sendable {
  /// The name is empty.
  case empty
  /// The name has more than `limit` bytes in UTF-8.
  case tooLong(limit: Int)
  /// The name has a character outside U+0020…U+007E.
  case notPrintableASCII
  /// The name has U+0000, the only character that a subscription ID must not have.
  case nulCharacter
  /// The name begins with `_`, which is reserved for the system.
  case underscore

  init?(in name: String, limit: Int) {
    if name.isEmpty {
      self = .empty
    } else if name.utf8.first == UInt8(ascii: "_") {
      self = .underscore
    } else if !name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
      self = .notPrintableASCII
    } else if name.utf8.count > limit {
      self = .tooLong(limit: limit)
    } else {
      return nil
    }
  }
}

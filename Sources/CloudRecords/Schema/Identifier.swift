/// The rules for names in a schema.
enum Identifier {
  /// Keywords that must be quoted when they are used as names. They are compared in lowercase.
  static let reserved: Set<String> = [
    "grant", "preferred", "queryable", "sortable", "searchable",
  ]

  /// Names that a field cannot have if saving a record creates it, because records have system
  /// properties with these names.
  static let reservedFields: Set<String> = [
    "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID",
    "modificationDate", "modifiedByDevice", "recordChangeTag", "recordID", "recordType",
    "share", "parent", "shortGUID",
  ]

  /// Whether a byte can be the first of an unquoted name: an ASCII letter.
  static func isStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Whether a byte can be part of an unquoted name: an ASCII letter, a digit or an underscore.
  static func isPart(_ byte: UInt8) -> Bool {
    isStart(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "_")
  }

  /// Whether a name consists of an ASCII letter followed by ASCII letters, digits and underscores,
  /// and is not longer than `Limits.schemaNameLength`.
  static func isPlain(_ name: String) -> Bool {
    name.utf8.first.map(isStart) == true && name.utf8.allSatisfy(isPart)
      && name.utf8.count <= Limits.schemaNameLength
  }

  /// Whether a record type can have this name. Apple (`CKRecord.init(recordType:)`): it consists of
  /// alphanumeric characters, begins with a letter, and may have underscores but no spaces. The
  /// type of Apple's shares is an exception.
  static func isTypeName(_ name: String) -> Bool {
    name == SharingRequest.recordType
      || name.first?.isLetter == true
        && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// Returns a name as it is written in a schema: in quotation marks if they are needed.
  static func quoted(_ name: String) -> String {
    isPlain(name) && !reserved.contains(name.lowercased()) ? name : "\"\(name)\""
  }
}

/// The rules for names in a schema.
enum Identifier {
  /// Words that must be quoted to be names.
  static let reserved: Set<String> = [
    "grant", "preferred", "queryable", "sortable", "searchable",
  ]

  /// Names of fields that records have already, to their users' surprise.
  static let reservedFields: Set<String> = [
    "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID",
    "modificationDate", "modifiedByDevice", "recordChangeTag", "recordID", "recordType",
    "share", "parent", "shortGUID",
  ]

  static func isStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  static func isPart(_ byte: UInt8) -> Bool {
    isStart(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "_")
  }

  /// Whether a name is a letter and then letters, digits and underscores, of ASCII.
  static func isPlain(_ name: String) -> Bool {
    name.utf8.first.map(isStart) == true && name.utf8.allSatisfy(isPart)
      && name.utf8.count <= Limits.schemaNameLength
  }

  /// A name as a schema has it, with quotation marks where they are needed.
  static func quoted(_ name: String) -> String {
    isPlain(name) && !reserved.contains(name.lowercased()) ? name : "\"\(name)\""
  }
}

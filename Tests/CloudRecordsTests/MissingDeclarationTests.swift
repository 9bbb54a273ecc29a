import CloudRecords
import Foundation
import Testing

struct MissingDeclarationTests {
  private let needed = Schema(
    [
      RecordType(
        "Note",
        fields: [
          "text": FieldDefinition(.string, [.queryable, .searchable, .sortable]),
          "count": FieldDefinition(.int64, .queryable), "tags": FieldDefinition(.string.list),
        ],
        systemIndexes: [.recordID: .queryable],
        grants: Grants([.icloud: [.read, .create], .creator: [.write]])),
      RecordType("Tag", fields: ["name": FieldDefinition(.string)]),
    ], roles: ["editor"])

  /// The declarations of `needed` that a changed copy of it lacks.
  private func missing(_ change: (inout Schema) -> Void) -> [MissingDeclaration] {
    var production = needed
    change(&production)
    return needed.missingDeclarations(in: production)
  }

  @Test func aSchemaHasEverythingOfItselfAndLacksEverythingOfAnother() {
    for seed in seeds(100) {
      var arbitrary = Arbitrary(seed: seed)
      let schema = arbitrary.schema()
      #expect(schema.missingDeclarations(in: schema) == [], "seed \(seed)")
      #expect(Schema().missingDeclarations(in: schema) == [], "seed \(seed)")
      #expect(
        schema.missingDeclarations(in: Schema()).count
          == schema.recordTypes.count + schema.roles.count, "seed \(seed)")
    }
  }

  @Test func everyKindOfDeclarationIsFound() {
    #expect(
      missing { schema in
        schema.roles = []
        schema["Tag"] = nil
        schema["Note"]?.fields["text"]?.indexes = .queryable
        schema["Note"]?.fields["count"] = nil
        schema["Note"]?.fields["tags"]?.type = .int64.list
        schema["Note"]?[.recordID] = []
        schema["Note"]?.grants = Grants([.icloud: [.read]])
      } == [
        .role("editor"),
        .field(
          type: "Note", field: "count", FieldDefinition(.int64, .queryable), candidates: []),
        .fieldType(type: "Note", field: "tags", needed: .string.list, found: .int64.list),
        .index(type: "Note", field: "text", .searchable),
        .index(type: "Note", field: "text", .sortable),
        .index(type: "Note", field: "___recordID", .queryable),
        .permission(.write, role: .creator, type: "Note"),
        .permission(.create, role: .icloud, type: "Note"), .recordType("Tag"),
      ])
  }

  @Test func whatOnlyTheOtherSchemaHasIsNotMissing() {
    #expect(
      missing { schema in
        schema.roles.insert("reader")
        schema["More"] = RecordType("More")
        schema["Tag"]?.fields["more"] = FieldDefinition(.string)
        schema["Tag"]?.fields["name"]?.indexes = [.queryable, .searchable, .sortable]
        schema["Tag"]?[.modTime] = .sortable
        schema["Tag"]?.grants[.world] = [.read]
        schema["Note"]?.fields["text"]?.isRequired = true
      } == [])
    var marked = needed
    marked["Note"]?.fields["text"]?.isRequired = true
    #expect(marked.missingDeclarations(in: needed) == [])
  }

  @Test func fieldsThatOnlyTheOtherSchemaHasAreCandidatesIfTheirTypeIsTheSame() {
    let found = missing { schema in
      schema["Note"]?.fields["text"] = nil
      schema["Note"]?.fields["title"] = FieldDefinition(.string)
      schema["Note"]?.fields["body"] = FieldDefinition(.string, .queryable)
      schema["Note"]?.fields["secret"] = FieldDefinition(.string.encrypted)
      schema["Note"]?.fields["lines"] = FieldDefinition(.string.list)
      schema["Tag"]?.fields["label"] = FieldDefinition(.string)
    }
    #expect(
      found == [
        .field(
          type: "Note", field: "text",
          FieldDefinition(.string, [.queryable, .searchable, .sortable]),
          candidates: ["body", "title"])
      ])
  }

  @Test func anotherIndexIsNotAReplacement() {
    #expect(
      missing { $0["Note"]?.fields["count"]?.indexes = .sortable }
        == [.index(type: "Note", field: "count", .queryable)])
    #expect(
      missing { $0["Note"]?.fields["text"]?.indexes = [.queryable, .searchable] }
        == [.index(type: "Note", field: "text", .sortable)])
  }

  @Test(arguments: [
    (Role.world, [Role.world]), (.icloud, [.world, .icloud]),
    (.creator, [.world, .icloud, .creator]), (.custom("a"), [.world, .icloud, .custom("a")]),
  ])
  func aGrantToARoleThatIncludesTheRoleSuffices(_ role: Role, _ sufficient: [Role]) {
    func schema(_ role: Role) -> Schema {
      Schema([RecordType("T", grants: Grants([role: [.read]]))], roles: ["a", "b"])
    }
    for other in [Role.world, .icloud, .creator, .custom("a"), .custom("b")] {
      #expect(
        schema(role).missingDeclarations(in: schema(other))
          == (sufficient.contains(other) ? [] : [.permission(.read, role: role, type: "T")]),
        "\(other)")
    }
  }

  @Test func commentsDoNotChangeASchema() throws {
    let text = needed.description { type, field in
      switch (type, field) {
      case ("Note", nil): "a type"
      case ("Note", "text"), ("Note", "___recordID"): "a field"
      default: nil
      }
    }
    #expect(text.contains("RECORD TYPE Note ( /* a type */\n"))
    #expect(text.contains(#""___recordID"   REFERENCE QUERYABLE /* a field */,"#))
    #expect(text.contains("STRING QUERYABLE SEARCHABLE SORTABLE /* a field */,\n"))
    #expect(text.components(separatedBy: "/*").count == 4)
    #expect(try Schema(parsing: text) == needed)
  }
}

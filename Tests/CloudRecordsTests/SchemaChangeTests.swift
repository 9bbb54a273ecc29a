import CloudRecords
import Testing

struct SchemaChangeTests {
  private let base = Schema(
    [
      RecordType(
        "Note",
        fields: [
          "text": FieldDefinition(.string), "count": FieldDefinition(.int64, .queryable),
        ],
        systemIndexes: [.recordID: .queryable], grants: .default),
      RecordType("Tag", fields: ["name": FieldDefinition(.string)]),
    ], roles: ["editor"])

  private func changes(_ change: (inout Schema) -> Void) -> [SchemaChange] {
    var changed = base
    change(&changed)
    return Schema.changes(from: base, to: changed)
  }

  private func problems(_ change: (inout Schema) -> Void) -> [SchemaChange] {
    var changed = base
    change(&changed)
    return Schema.refusedChanges(from: base, to: changed)
  }

  @Test func equalSchemasHaveNoChanges() {
    #expect(changes { _ in }.isEmpty)
    for seed in seeds(100) {
      var arbitrary = Arbitrary(seed: seed)
      let (old, new) = (arbitrary.schema(), arbitrary.schema())
      #expect(Schema.changes(from: old, to: old).isEmpty, "seed \(seed)")
      #expect(Schema.changes(from: old, to: new).isEmpty == (old == new), "seed \(seed)")
      #expect(
        Schema.changes(from: old, to: new).count == Schema.changes(from: new, to: old).count,
        "seed \(seed)")
    }
  }

  @Test func everyKindOfChangeIsListed() {
    let added = RecordType("New")
    #expect(
      changes { schema in
        schema.roles = ["writer"]
        schema["New"] = added
        schema["Tag"] = nil
        schema["Note"]?.fields["text"]?.type = .int64
        schema["Note"]?.fields["count"]?.indexes = .sortable
        schema["Note"]?.fields["more"] = FieldDefinition(.asset)
        schema["Note"]?[.recordID] = []
        schema["Note"]?[.modTime] = .sortable
        schema["Note"]?.grants[.world] = []
        schema["Note"]?.grants[.icloud] = [.read]
      } == [
        .roleRemoved("editor"), .roleAdded("writer"), .typeAdded(added),
        .indexesChanged(type: "Note", field: "count", from: .queryable, to: .sortable),
        .fieldAdded(type: "Note", field: "more", FieldDefinition(.asset)),
        .fieldRetyped(type: "Note", field: "text", from: .string, to: .int64),
        .indexesChanged(type: "Note", field: "___modTime", from: [], to: .sortable),
        .indexesChanged(type: "Note", field: "___recordID", from: .queryable, to: []),
        .grantsChanged(type: "Note", role: .icloud, from: [.create], to: [.read]),
        .grantsChanged(type: "Note", role: .world, from: [.read], to: []), .typeRemoved("Tag"),
      ])
  }

  @Test func additionsAndIndexChangesCanBeDeployed() {
    let problems = problems { schema in
      schema.roles.insert("writer")
      schema["New"] = RecordType("New")
      schema["Note"]?.fields["more"] = FieldDefinition(.asset)
      schema["Note"]?.fields["count"]?.indexes = []
      schema["Note"]?.fields["text"]?.indexes = [.queryable, .searchable]
      schema["Note"]?[.recordID] = []
      schema["Note"]?.grants = Grants()
    }
    #expect(problems == [])
  }

  @Test func removalsRetypingsAndRenamesAreRefused() {
    #expect(
      problems { $0["Tag"] = nil } == [.typeRemoved("Tag")])
    #expect(
      problems { $0["Note"]?.fields["text"] = nil }
        == [.fieldRemoved(type: "Note", field: "text")])
    #expect(
      problems { $0["Note"]?.fields["text"]?.type = .string.list }
        == [
          .fieldRetyped(type: "Note", field: "text", from: .string, to: .string.list)
        ])
    // A rename is a removal and an addition.
    #expect(
      problems { schema in
        schema["Note"]?.fields["body"] = FieldDefinition(.string)
        schema["Note"]?.fields["text"] = nil
      } == [.fieldRemoved(type: "Note", field: "text")])
    #expect(
      problems { schema in
        schema["Label"] = RecordType("Label", fields: ["name": FieldDefinition(.string)])
        schema["Tag"] = nil
      } == [.typeRemoved("Tag")])
  }

  @Test(arguments: [
    (FieldType.int64, FieldType.double), (.string, .string.encrypted), (.number, .int64),
    (.string, .string.list), (.int64, .timestamp),
  ])
  func changingAFieldToASimilarTypeIsRefused(_ old: FieldType, _ new: FieldType) {
    func schema(_ type: FieldType) -> Schema {
      Schema([RecordType("T", fields: ["f": FieldDefinition(type)])])
    }
    #expect(Schema.refusedChanges(from: schema(old), to: schema(new)).count == 1)
    #expect(Schema.refusedChanges(from: schema(new), to: schema(old)).count == 1)
  }

  @Test func everyRefusedChangeIsReported() {
    #expect(Schema.refusedChanges(from: base, to: Schema()).count == 2)
    #expect(Schema.refusedChanges(from: Schema(), to: base).isEmpty)
  }
}

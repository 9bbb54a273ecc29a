import CloudRecords
import Foundation
import Testing

struct SchemaRecordTests {
  private let schema = Schema([
    RecordType(
      "T",
      fields: [
        "string": FieldDefinition(.string), "int64": FieldDefinition(.int64),
        "double": FieldDefinition(.double), "timestamp": FieldDefinition(.timestamp),
        "bytes": FieldDefinition(.bytes), "location": FieldDefinition(.location),
        "reference": FieldDefinition(.reference), "asset": FieldDefinition(.asset),
        "number": FieldDefinition(.number), "strings": FieldDefinition(.string.list),
        "whole": FieldDefinition(FieldType(.number(preferred: .int64))),
        "real": FieldDefinition(FieldType(.number(preferred: .double))),
        "int64s": FieldDefinition(.int64.list), "secret": FieldDefinition(.string.encrypted),
        "references": FieldDefinition(.reference.list), "doubles": FieldDefinition(.double.list),
        "numbers": FieldDefinition(.number.list),
      ])
  ])

  private func checked(_ name: String, _ field: Field) throws -> Field? {
    try schema.check(RecordInput("r", type: "T", fields: [name: field])).fields[name]
  }

  private func checked(_ name: String, _ json: JSONValue) throws -> FieldValue? {
    try checked(name, Field(.raw(json, type: nil)))?.value
  }

  // MARK: Values against types

  @Test func onlyValuesOfTheFieldTypeAreAccepted() throws {
    for seed in seeds(20) {
      var arbitrary = Arbitrary(seed: seed)
      for type in Arbitrary.types {
        let field = Field(arbitrary.value(type))
        for other in Arbitrary.types {
          let value = try? field.value(as: FieldType(other))
          #expect(value == (type == other ? field.value : nil), "seed \(seed): \(type) \(other)")
        }
      }
    }
  }

  @Test func valuesOfAnotherTypeAreRefusedWithBothTypeNames() {
    #expect(
      throws: ServiceError(
        .badRequest,
        cause: .wrongType("STRING", field: "reference", type: "T", declared: "REFERENCE"))
    ) { try checked("reference", Field(.string("a"))) }
    for (field, value, found, declared) in [
      ("double", FieldValue.int64(5), "INT64", "DOUBLE"),
      ("int64", .double(5), "DOUBLE", "INT64"), ("strings", .string("a"), "STRING", "STRING_LIST"),
      ("string", .strings([]), "STRING_LIST", "STRING"),
      ("asset", .string(""), "STRING", "ASSETID"), ("number", .string("1"), "STRING", "NUMBER"),
      ("secret", .int64(1), "INT64", "ENCRYPTED_STRING"),
    ] {
      #expect(
        cause { _ = try checked(field, Field(value)) }
          == .wrongType(found, field: field, type: "T", declared: declared))
    }
    #expect(
      cause { _ = try checked("string", Field(.raw(.integer(1), type: "NEW_TYPE"))) }
        == .wrongType("NEW_TYPE", field: "string", type: "T", declared: "STRING"))
  }

  @Test func untypedValuesGetTheTypeOfTheSchema() throws {
    let reference: JSONValue = .object([
      "recordName": .string("a"), "action": .string("DELETE_SELF"),
    ])
    for (field, json, value) in [
      ("string", JSONValue.string("a"), FieldValue.string("a")),
      ("int64", .integer(.max), .int64(.max)), ("int64", .string("-5"), .int64(-5)),
      ("double", .integer(5), .double(5)), ("double", .number(0.5), .double(0.5)),
      ("double", .string("1e3"), .double(1000)),
      ("timestamp", .integer(5), .timestamp(Timestamp(milliseconds: 5))),
      ("timestamp", .number(5.6), .timestamp(Timestamp(milliseconds: 6))),
      ("bytes", .string("AQI="), .bytes(Data([1, 2]))),
      (
        "location", .object(["latitude": .integer(1), "longitude": .number(2.5)]),
        .location(Location(latitude: 1, longitude: 2.5))
      ),
      ("reference", reference, .reference(Reference("a", action: .deleteSelf))),
      (
        "asset", .object(["fileChecksum": .string("c"), "size": .integer(3)]),
        .asset(Asset(fileChecksum: "c", size: 3))
      ),
      ("number", .integer(5), .int64(5)), ("number", .number(0.5), .double(0.5)),
      ("real", .integer(5), .double(5)), ("whole", .integer(5), .int64(5)),
      ("strings", .array([]), .strings([])), ("int64s", .array([.integer(1)]), .int64s([1])),
      ("doubles", .array([.integer(1), .number(0.5)]), .doubles([1, 0.5])),
      ("numbers", .array([.integer(1), .number(0.5)]), .doubles([1, 0.5])),
      ("numbers", .array([.integer(1)]), .int64s([1])),
      ("references", .array([reference]), .references([Reference("a", action: .deleteSelf)])),
    ] as [(String, JSONValue, FieldValue)] {
      #expect(try checked(field, json) == value, "\(field) \(json)")
    }
  }

  @Test func untypedValuesThatDoNotFitTheSchemaAreRefused() {
    for (field, json, found, declared) in [
      ("string", JSONValue.integer(5), "NUMBER", "STRING"),
      ("int64", .number(0.5), "DOUBLE", "INT64"), ("int64", .string("five"), "STRING", "INT64"),
      ("int64", .bool(true), "UNKNOWN", "INT64"),
      ("timestamp", .string("5"), "STRING", "TIMESTAMP"),
      ("double", .string("nan"), "STRING", "DOUBLE"),
      ("bytes", .string("?"), "STRING", "BYTES"), ("bytes", .string("===="), "STRING", "BYTES"),
      ("whole", .number(0.5), "DOUBLE", "NUMBER"),
      ("reference", .string("a"), "STRING", "REFERENCE"),
      ("reference", .object(["zoneID": .object([:])]), "UNKNOWN", "REFERENCE"),
      ("location", .object(["latitude": .integer(1)]), "LOCATION", "LOCATION"),
      ("strings", .array([.string("a"), .integer(1)]), "STRING_LIST", "STRING_LIST"),
      ("strings", .string("a"), "STRING", "STRING_LIST"),
      ("string", .array([.string("a")]), "STRING_LIST", "STRING"),
    ] as [(String, JSONValue, String, String)] {
      #expect(
        cause { _ = try checked(field, json) }
          == .wrongType(found, field: field, type: "T", declared: declared), "\(field) \(json)")
    }
  }

  @Test func nullIsAcceptedByEveryField() throws {
    for name in try #require(schema["T"]).fields.keys {
      #expect(try checked(name, .null) == .null)
    }
  }

  @Test func theSchemaDecidesWhichFieldsAreEncrypted() throws {
    let encryptedField = Field(.string("a"), isEncrypted: true)
    #expect(try checked("secret", Field(.string("a"))) == encryptedField)
    #expect(try checked("secret", encryptedField) == encryptedField)
    #expect(try checked("secret", Field(.raw(.string("a"), type: nil))) == encryptedField)
    #expect(
      cause { _ = try checked("string", encryptedField) }
        == .encryptedInPlainField)
    #expect(
      cause { _ = try checked("secret", Field(.bytes(Data()), isEncrypted: true)) }
        == .wrongType(
          "ENCRYPTED_BYTES", field: "secret", type: "T", declared: "ENCRYPTED_STRING"))
  }

  @Test func aReferenceInARecordNeedsAnAction() {
    #expect(
      cause { _ = try checked("reference", Field(.reference(Reference("a", action: nil)))) }
        == .missingAction(field: "reference"))
    #expect(
      cause {
        _ = try checked(
          "references", Field(.references([Reference("a"), Reference("b", action: nil)])))
      } == .missingAction(field: "references"))
    #expect(cause { _ = try checked("reference", Field(.reference(Reference("a")))) } == nil)
  }

  // MARK: Production

  @Test func unknownTypesAndFieldsAreRefusedInProduction() {
    #expect(
      throws: ServiceError(.badRequest, cause: .unknownTypeInProduction("U"))
    ) { try schema.check(RecordInput("r", type: "U")) }
    #expect(
      throws: ServiceError(
        .badRequest,
        cause: .unknownFieldInProduction("new", type: "T"))
    ) { try schema.check(RecordInput("r", type: "T", fields: ["new": Field(.int64(1))])) }
    #expect(
      cause { _ = try schema.check(RecordInput("r", type: "T", fields: ["___etag": .null])) }
        == .unknownFieldInProduction("___etag", type: "T"))
    #expect(cause { _ = try schema.check(RecordInput("r")) } == .missingRecordType)
  }

  @Test func theOtherPropertiesOfARecordAreKept() throws {
    let recordInput = RecordInput(
      "r", type: "T", recordChangeTag: "1", zoneID: ZoneID("Q"), parent: Parent("p"))
    #expect(try schema.check(recordInput) == recordInput)
  }

  // MARK: Development

  private func extended(_ fields: [String: Field], type: String = "T") throws -> Schema {
    try schema.adding(typesAndFieldsOf: RecordInput("r", type: type, fields: fields))
  }

  @Test func knownTypesAndFieldsLeaveTheSchemaUnchanged() throws {
    #expect(try extended(["string": Field(.string("a")), "int64": .null]) == schema)
    // Whether the value fits is not checked here.
    #expect(try extended(["string": Field(.int64(1))]) == schema)
  }

  @Test func newTypesGetTheDefaultGrants() throws {
    let type = try #require(try extended(["a": Field(.int64(1))], type: "New")["New"])
    #expect(type.grants == Grants([.world: [.read], .icloud: [.create], .creator: [.write]]))
    #expect(type.systemIndexes.isEmpty)
    #expect(type.fields == ["a": FieldDefinition(.int64, [.queryable, .sortable])])
    #expect(try extended([:], type: "Empty")["Empty"]?.fields.isEmpty == true)
  }

  @Test(arguments: [
    (Field(.string("")), FieldDefinition(.string, [.queryable, .searchable, .sortable])),
    (Field(.double(1)), FieldDefinition(.double, [.queryable, .sortable])),
    (Field(.bytes(Data())), FieldDefinition(.bytes, [.queryable, .sortable])),
    (Field(.reference(Reference("a"))), FieldDefinition(.reference, .queryable)),
    (Field(.asset(Asset(fileChecksum: "", size: 0))), FieldDefinition(.asset)),
    (Field(.strings([])), FieldDefinition(.string.list, .queryable)),
    (Field(.int64s([])), FieldDefinition(.int64.list, .queryable)),
    (Field(.string(""), isEncrypted: true), FieldDefinition(.string.encrypted)),
    (Field(.bytes(Data()), isEncrypted: true), FieldDefinition(.bytes.encrypted)),
    (
      Field(.raw(.string("a"), type: nil)),
      FieldDefinition(.string, [.queryable, .searchable, .sortable])
    ),
    (Field(.raw(.integer(1), type: nil)), FieldDefinition(.number, [.queryable, .sortable])),
    (Field(.raw(.number(0.5), type: nil)), FieldDefinition(.double, [.queryable, .sortable])),
    (
      Field(.raw(.object(["recordName": .string("a")]), type: nil)),
      FieldDefinition(.reference, .queryable)
    ),
    (
      Field(.raw(.object(["latitude": .integer(0)]), type: nil)),
      FieldDefinition(.location, .queryable)
    ),
    (
      Field(.raw(.object(["fileChecksum": .string("")]), type: nil)), FieldDefinition(.asset)
    ),
    (Field(.raw(.array([.integer(1)]), type: nil)), FieldDefinition(.number.list, .queryable)),
  ])
  func newFieldsAreDefinedByTheirValue(_ field: Field, _ definition: FieldDefinition) throws {
    #expect(try extended(["new": field])["T"]?.fields["new"] == definition)
  }

  @Test func aNullValueAddsNoField() throws {
    #expect(try extended(["new": .null]) == schema)
  }

  @Test func newFieldsWhoseTypeCannotBeInferredAreRefused() {
    for json in [JSONValue.array([]), .bool(true), .object([:]), .array([.array([.integer(1)])])] {
      #expect(
        cause { _ = try extended(["new": Field(.raw(json, type: nil))]) }
          == .unknownElements(field: "new", type: "T"))
    }
  }

  @Test(arguments: ["", "_x", "1a", "a b", "é", "a.b", "___etag"])
  func namesThatCannotBeFieldsAreRefused(_ name: String) {
    #expect(cause { _ = try extended([name: Field(.int64(1))]) } == .unusableName(name))
  }

  @Test(arguments: ["recordID", "modificationDate", "parent", "share"])
  func namesOfRecordPropertiesCannotBeFields(_ name: String) {
    #expect(cause { _ = try extended([name: Field(.int64(1))]) } == .reservedFieldName(name))
  }

  @Test(arguments: ["", "_x", "1a", "a b", "é"])
  func namesThatCannotBeTypesAreRefused(_ name: String) {
    #expect(cause { _ = try extended([:], type: name) } == .unusableName(name))
    #expect(
      cause { _ = try schema.adding(typesAndFieldsOf: RecordInput("r")) }
        == .missingRecordType)
  }

  @Test func randomRecordsExtendTheSchemaConsistently() throws {
    for seed in seeds(500) {
      var arbitrary = Arbitrary(seed: seed)
      var recordInput = arbitrary.recordInput()
      recordInput.recordType = "T"
      guard let extended = try? schema.adding(typesAndFieldsOf: recordInput) else { continue }
      #expect(Schema.refusedChanges(from: schema, to: extended).isEmpty, "seed \(seed)")
      #expect(try Schema(parsing: extended.description) == extended, "seed \(seed)")
      // Adding the same types and fields again changes nothing.
      #expect(try extended.adding(typesAndFieldsOf: recordInput) == extended, "seed \(seed)")
      do {
        let checked = try extended.check(recordInput)
        #expect(Set(checked.fields.keys).isSubset(of: recordInput.fields.keys), "seed \(seed)")
        #expect(try extended.check(checked) == checked, "seed \(seed)")
      } catch {
        switch error.cause {
        case .unknownFieldInProduction, .missingAction, .wrongType, .encryptedInPlainField: break
        default: Issue.record("seed \(seed): \(error)")
        }
      }
    }
  }
}

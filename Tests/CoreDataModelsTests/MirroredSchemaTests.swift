import CloudRecords
import CoreDataModels
import Foundation
import Testing

struct MirroredSchemaTests {
  private func schema(_ content: String, usedWithCloudKit: String = "YES") throws -> Schema {
    try model(content, usedWithCloudKit: usedWithCloudKit).mirroredSchema()
  }

  /// The error that prevents the generation of a schema; nil if there is none.
  private func refusal(
    _ content: String, usedWithCloudKit: String = "YES"
  ) throws -> MirroringError? {
    do {
      _ = try model(content, usedWithCloudKit: usedWithCloudKit).mirroredSchema()
      return nil
    } catch let error as MirroringError {
      return error
    }
  }

  /// The fields of a record type, without those that every type has.
  private func fields(_ schema: Schema, _ type: String) -> [String: String] {
    let always = ["CD_entityName", "CD_moveReceipt", "CD_moveReceipt_ckAsset"]
    return (schema[type]?.fields ?? [:]).filter { !always.contains($0.key) }
      .mapValues(\.description)
  }

  // MARK: The schemas in Resources

  @Test(arguments: ["sydoku", "fitiq"])
  func theSchemasAreGeneratedFromTheirModels(_ name: String) throws {
    let bundles = ["sydoku": "Sydoku", "fitiq": "FitIQ"]
    let bundle = try #require(bundles[name])
    let file = try ModelFile.current(at: "\(models)/\(bundle).xcdatamodeld")
    let schema = try DataModel(contentsOf: file.path).mirroredSchema()
    let kept = try String(contentsOfFile: "\(models)/../\(name).ckdb", encoding: .utf8)
    #expect(schema.description == kept)
    #expect(try Schema(parsing: kept) == schema)
  }

  @Test func sydokuHasItsThreeTypes() throws {
    let model = try DataModel(
      contentsOf: "\(models)/Sydoku.xcdatamodeld/Sydoku.xcdatamodel/contents")
    let names = try model.mirroredSchema().recordTypes.keys.sorted()
    #expect(names == ["CD_GameStatistics", "CD_SavedGameState", "CD_UserSettings"])
  }

  @Test func modelsThatCannotBeMirroredHaveNoSchema() throws {
    for version in ["V9", "V10"] {
      let model = try DataModel(
        contentsOf: "\(models)/FitIQ-before.xcdatamodeld/FitIQ \(version).xcdatamodel/contents")
      #expect(throws: MirroringError.unsupported(model.cloudKitFindings())) {
        try model.mirroredSchema()
      }
    }
    #expect(try refusal("<entity name='A'/>", usedWithCloudKit: "NO") == .notUsedWithCloudKit)
  }

  // MARK: Types

  @Test func anEntityBecomesARecordType() throws {
    let text = try schema(
      """
      <entity name="Note"><attribute name="text" optional="YES" attributeType="String"/></entity>
      """
    ).description
    #expect(
      text == """
        DEFINE SCHEMA

            RECORD TYPE CD_Note (
                "___createTime"        TIMESTAMP,
                "___createdBy"         REFERENCE,
                "___etag"              STRING,
                "___modTime"           TIMESTAMP,
                "___modifiedBy"        REFERENCE,
                "___recordID"          REFERENCE,
                CD_entityName          STRING QUERYABLE SEARCHABLE SORTABLE,
                CD_moveReceipt         BYTES,
                CD_moveReceipt_ckAsset ASSET,
                CD_text                STRING QUERYABLE SEARCHABLE SORTABLE,
                CD_text_ckAsset        ASSET,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

        """)
  }

  @Test func eachAttributeTypeHasAFieldType() throws {
    let types = DataModel.AttributeType.allCases.filter { $0 != .undefined && $0 != .objectID }
    let attributes = types.enumerated().map {
      "<attribute name='a\($0)' optional='YES' attributeType='\($1.rawValue)'/>"
    }
    let found = fields(
      try schema("<entity name='A'>\(attributes.joined())</entity>"), "CD_A")
    let bytes = "BYTES QUERYABLE SORTABLE"
    let string = "STRING QUERYABLE SEARCHABLE SORTABLE"
    let integer = "INT64 QUERYABLE SORTABLE"
    let number = "DOUBLE QUERYABLE SORTABLE"
    let expected: [DataModel.AttributeType: (String, hasAsset: Bool)] = [
      .integer16: (integer, false), .integer32: (integer, false), .integer64: (integer, false),
      .boolean: (integer, false), .decimal: (number, false), .double: (number, false),
      .float: (number, false), .string: (string, true), .uuid: (string, false),
      .uri: (string, false), .date: ("TIMESTAMP QUERYABLE SORTABLE", false),
      .binary: (bytes, true), .transformable: (bytes, true), .composite: (bytes, true),
    ]
    #expect(expected.count == types.count)
    for (index, type) in types.enumerated() {
      #expect(found["CD_a\(index)"] == expected[type]?.0, "\(type)")
      let asset = found["CD_a\(index)_ckAsset"]
      #expect(asset == (expected[type]?.hasAsset == true ? "ASSET" : nil), "\(type)")
    }
  }

  @Test func transientAttributesAreNotMirroredAndDerivedOnesAre() throws {
    let found = fields(
      try schema(
        """
        <entity name="A">
        <attribute name="t" optional="YES" attributeType="String" transient="YES"/>
        <attribute name="d" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>
        </entity>
        """), "CD_A")
    #expect(found == ["CD_d": "TIMESTAMP QUERYABLE SORTABLE"])
  }

  @Test func encryptedAttributesHaveNoIndexes() throws {
    let found = fields(
      try schema(
        """
        <entity name="A">
        <attribute name="s" optional="YES" attributeType="String" allowsCloudEncryption="YES"/>
        <attribute name="n" optional="YES" attributeType="Integer 64" allowsCloudEncryption="YES"/>
        <attribute name="b" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        </entity>
        """), "CD_A")
    #expect(
      found == [
        "CD_s": "ENCRYPTED STRING", "CD_s_ckAsset": "ASSET", "CD_n": "ENCRYPTED INT64",
        "CD_b": "BYTES", "CD_b_ckAsset": "ASSET",
      ])
  }

  // MARK: Relationships

  @Test func onlyToOneRelationshipsHaveFields() throws {
    let schema = try schema(
      """
      <entity name="Post">
      <relationship name="attachments" optional="YES" toMany="YES" destinationEntity="Attachment" inverseName="post"/>
      <relationship name="cover" optional="YES" maxCount="1" destinationEntity="Attachment" inverseName="coverOf"/>
      </entity>
      <entity name="Attachment">
      <relationship name="post" optional="YES" maxCount="1" destinationEntity="Post" inverseName="attachments"/>
      <relationship name="coverOf" optional="YES" maxCount="1" destinationEntity="Post" inverseName="cover"/>
      </entity>
      """)
    let name = "STRING QUERYABLE SEARCHABLE SORTABLE"
    #expect(fields(schema, "CD_Post") == ["CD_cover": name])
    #expect(fields(schema, "CD_Attachment") == ["CD_post": name, "CD_coverOf": name])
    #expect(schema["CDMR"] == nil)
  }

  @Test(arguments: ["Tag", "Label"])
  func manyToManyRelationshipsHaveRecordsOfTheirOwn(_ destination: String) throws {
    let schema = try schema(
      """
      <entity name="Post">
      <relationship name="tags" optional="YES" toMany="YES" destinationEntity="\(destination)" inverseName="posts"/>
      </entity>
      <entity name="Label" parentEntity="Tag"/>
      <entity name="Tag">
      <relationship name="posts" optional="YES" toMany="YES" destinationEntity="Post" inverseName="tags"/>
      </entity>
      """)
    let name = "STRING QUERYABLE SEARCHABLE SORTABLE"
    #expect(fields(schema, "CD_Post").isEmpty)
    #expect(fields(schema, "CD_Tag").isEmpty)
    #expect(
      schema["CDMR"]?.fields.mapValues(\.description) == [
        "CD_entityNames": name, "CD_recordNames": name, "CD_relationships": name,
      ])
    #expect(schema.recordTypes.count == 3)
  }

  // MARK: Inheritance and configurations

  @Test func aHierarchyHasOneRecordType() throws {
    let schema = try schema(
      """
      <entity name="VideoPost" parentEntity="MediaPost"><attribute name="length" optional="YES" attributeType="Double"/></entity>
      <entity name="MediaPost" parentEntity="Post" isAbstract="YES"><attribute name="size" optional="YES" attributeType="Integer 64"/></entity>
      <entity name="ImagePost" parentEntity="MediaPost"><attribute name="length" optional="YES" attributeType="Float"/></entity>
      <entity name="Post"><attribute name="at" optional="YES" attributeType="Date"/></entity>
      <entity name="Unused" isAbstract="YES"><attribute name="a" optional="YES" attributeType="Date"/></entity>
      <entity name="Abstract" isAbstract="YES"><attribute name="a" optional="YES" attributeType="Date"/></entity>
      <entity name="Concrete" parentEntity="Abstract"/>
      """)
    #expect(schema.recordTypes.keys.sorted() == ["CD_Abstract", "CD_Post"])
    #expect(fields(schema, "CD_Post").keys.sorted() == ["CD_at", "CD_length", "CD_size"])
    #expect(fields(schema, "CD_Abstract").keys.sorted() == ["CD_a"])
  }

  @Test func onlyEntitiesUsedWithCloudKitAreMirrored() throws {
    let schema = try schema(
      """
      <entity name="Base" isAbstract="YES"/>
      <entity name="A" parentEntity="Base"/>
      <entity name="B" parentEntity="Base"><attribute name="b" optional="YES" attributeType="Date"/></entity>
      <entity name="C"/>
      <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="A"/></configuration>
      """, usedWithCloudKit: "NO")
    #expect(schema.recordTypes.keys.sorted() == ["CD_Base"])
    #expect(fields(schema, "CD_Base").isEmpty)
  }

  // MARK: Refusals

  @Test func fieldsThatCollideAreRefused() throws {
    let types = try refusal(
      """
      <entity name="A"/>
      <entity name="B" parentEntity="A"><attribute name="x" optional="YES" attributeType="Date"/></entity>
      <entity name="C" parentEntity="A"><attribute name="x" optional="YES" attributeType="Float"/></entity>
      """)
    #expect(types == .fieldConflict("CD_x", entity: "C", property: "x", line: 5))
    let assets = try refusal(
      """
      <entity name="A">
      <attribute name="x" optional="YES" attributeType="String"/>
      <attribute name="x_ckAsset" optional="YES" attributeType="String"/>
      </entity>
      """)
    #expect(assets == .fieldConflict("CD_x_ckAsset", entity: "A", property: "x_ckAsset", line: 5))
    for name in ["entityName", "moveReceipt"] {
      let reserved = try refusal(
        "<entity name='A'><attribute name='\(name)' optional='YES' attributeType='String'/></entity>"
      )
      #expect(reserved == .fieldConflict("CD_\(name)", entity: "A", property: name, line: 3))
    }
  }

  @Test(arguments: ["größe", "a b", "a&quot;b", "a-b", String(repeating: "a", count: 250)])
  func namesThatCloudKitDoesNotAllowAreRefused(_ name: String) throws {
    let plain = name.replacingOccurrences(of: "&quot;", with: "\"")
    #expect(
      try refusal("<entity name='\(name)'/>") == .name(plain, entity: plain, line: 3))
    let field = try refusal(
      "<entity name='A'><attribute name='\(name)' optional='YES' attributeType='Date'/></entity>")
    #expect(field == .name(plain, entity: "A", line: 3))
  }

  @Test func theLargestModelsAreMirrored() throws {
    let relationships = (0..<50_000).map {
      "<relationship name='r\($0)' optional='YES' toMany='YES' destinationEntity='A' "
        + "inverseName='r\($0)'/>"
    }
    let schema = try schema("<entity name='A'>\(relationships.joined())</entity>")
    #expect(schema.recordTypes.keys.sorted() == ["CDMR", "CD_A"])
  }
}

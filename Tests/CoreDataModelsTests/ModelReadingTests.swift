import CoreDataModels
import Testing

struct ModelReadingTests {
  @Test func everythingThatXcodeWritesIsRead() throws {
    let model = try model(
      """
      <entity name="Base" representedClassName="Base" isAbstract="YES" syncable="YES">
        <attribute name="createdAt" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
      </entity>
      <entity name="Trip" representedClassName="Trip" parentEntity="Base" syncable="YES">
        <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="days" attributeType="Integer 16" defaultValueString="1" usesScalarValueType="YES"/>
        <attribute name="note" optional="YES" attributeType="String" allowsCloudEncryption="YES">
          <userInfo><entry key="attribute" value="ignored"/></userInfo>
        </attribute>
        <attribute name="stopCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="stops.@count"/>
        <attribute name="draft" optional="YES" transient="YES"/>
        <relationship name="stops" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/>
        <fetchedProperty name="recent" optional="YES"><fetchRequest name="r" entity="Stop"/></fetchedProperty>
        <fetchIndex name="byDays"><fetchIndexElement property="days" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="note"/><constraint value="days"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="cover"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Stop" representedClassName="Stop" syncable="YES">
        <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/>
      </entity>
      <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="Trip"/></configuration>
      <configuration name="Local"><memberEntity name="Stop"/></configuration>
      <fetchRequest name="All" entity="Trip"/>
      <elements><element name="Trip" positionX="0" positionY="0" width="1" height="1"/></elements>
      """, usedWithCloudKit: "false")
    #expect(!model.isUsedWithCloudKit)
    #expect(model.entities.map(\.name) == ["Base", "Trip", "Stop"])
    #expect(model["Base"]?.isAbstract == true)
    #expect(model["None"] == nil)

    let trip = try #require(model["Trip"])
    #expect(trip.parent == "Base")
    #expect(!trip.isAbstract)
    #expect(trip.line == 6)
    #expect(trip.attributes.map(\.name) == ["cover", "days", "note", "stopCount", "draft"])
    #expect(trip.attributes.map(\.line) == [7, 8, 9, 12, 13])
    #expect(
      trip.attributes.map(\.type) == [.binary, .integer16, .string, .integer64, .undefined])
    #expect(trip.attributes.map(\.isOptional) == [true, false, true, true, true])
    #expect(trip.attributes.map(\.hasDefault) == [false, true, false, false, false])
    #expect(trip.attributes.map(\.isTransient) == [false, false, false, false, true])
    #expect(
      trip.attributes.map(\.allowsExternalStorage) == [true, false, false, false, false])
    #expect(
      trip.attributes.map(\.allowsCloudEncryption) == [false, false, true, false, false])
    #expect(trip.uniquenessConstraints.map(\.attributes) == [["note", "days"], ["cover"]])

    let stops = try #require(trip.relationships.first)
    #expect(stops.name == "stops" && stops.destination == "Stop" && stops.inverse == "trip")
    #expect(stops.isOptional && stops.isToMany && stops.isOrdered)
    #expect(stops.deletionRule == .cascade)
    #expect(stops.line == 14)
    let back = try #require(model["Stop"]?.relationships.first)
    #expect(!back.isToMany && !back.isOrdered && back.deletionRule == .nullify)

    #expect(model.configurations.map(\.name) == ["Cloud", "Local"])
    #expect(model.configurations.map(\.isUsedWithCloudKit) == [true, false])
    #expect(model.configurations.map(\.members) == [["Trip"], ["Stop"]])
  }

  @Test(arguments: [
    (#"attributeType="String""#, false), (#"attributeType="String" defaultValueString="""#, true),
    (#"attributeType="UUID" defaultValueString="""#, false),
    (#"attributeType="Date" defaultDateTimeInterval="0""#, true),
    (#"attributeType="Boolean" defaultValueString="NO""#, true),
  ])
  func defaultsAreRecognized(_ attributes: String, _ expected: Bool) throws {
    let model = try model(#"<entity name="A"><attribute name="a" \#(attributes)/></entity>"#)
    #expect(model["A"]?.attributes.first?.hasDefault == expected)
  }

  @Test func theInverseCanBeInherited() throws {
    _ = try model(
      """
      <entity name="A"><relationship name="b" destinationEntity="C" inverseName="a"/></entity>
      <entity name="B"><relationship name="a" destinationEntity="A" inverseName="b"/></entity>
      <entity name="C" parentEntity="B"/>
      """)
  }

  private static let faults: [(String, Int, ModelError.Problem)] = [
    (#"<entity name="A"/><entity name="A"/>"#, 3, .duplicateEntity("A")),
    (#"<entity name=""/>"#, 3, .missing(attribute: "name", element: "entity")),
    ("\n<entity/>", 4, .missing(attribute: "name", element: "entity")),
    (
      #"<entity name="A"><attribute name="a"/><relationship name="a" destinationEntity="A"/></entity>"#,
      3, .duplicateProperty("a", entity: "A")
    ),
    (
      #"<entity name="A"><attribute name="a"/></entity>"#
        + "\n" + #"<entity name="B" parentEntity="A"/>"#
        + "\n" + #"<entity name="C" parentEntity="B"><attribute name="a"/></entity>"#,
      5, .duplicateProperty("a", entity: "C")
    ),
    (#"<entity name="A" parentEntity="B"/>"#, 3, .unknownParent("B", entity: "A")),
    (#"<entity name="A" parentEntity="A"/>"#, 3, .inheritanceCycle(entity: "A")),
    (
      #"<entity name="A"><relationship name="b"/></entity>"#, 3,
      .missing(attribute: "destinationEntity", element: "relationship")
    ),
    (
      #"<entity name="A"><relationship name="b" destinationEntity="B"/></entity>"#, 3,
      .unknownDestination("B", relationship: "b", entity: "A")
    ),
    (
      #"<entity name="A"><attribute name="c"/><relationship name="b" destinationEntity="A" inverseName="c"/></entity>"#,
      3, .unknownInverse("c", relationship: "b", entity: "A")
    ),
    (
      #"<entity name="A"><attribute name="a" attributeType="Text"/></entity>"#, 3,
      .invalid(value: "Text", attribute: "attributeType", element: "attribute")
    ),
    (
      #"<entity name="A"><attribute name="a" optional="yes"/></entity>"#, 3,
      .invalid(value: "yes", attribute: "optional", element: "attribute")
    ),
    (
      #"<entity name="A"><relationship name="a" destinationEntity="A" deletionRule="Drop"/></entity>"#,
      3, .invalid(value: "Drop", attribute: "deletionRule", element: "relationship")
    ),
    (
      #"<configuration name="C"/><configuration name="C"/>"#, 3, .duplicateConfiguration("C")
    ),
    (
      #"<configuration name="C"><memberEntity name="A"/></configuration>"#, 3,
      .unknownMember("A", configuration: "C")
    ),
  ]

  @Test(arguments: faults)
  func inconsistentModelsAreRefused(_ content: String, _ line: Int, _ problem: ModelError.Problem) {
    let error = refusal(xml(content))
    #expect(error?.problem == problem)
    #expect(error?.line == line)
    #expect(error?.path == nil)
  }
}

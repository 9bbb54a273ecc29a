import CoreDataModels
import Testing

struct CloudKitFindingTests {
  private func findings(_ content: String, usedWithCloudKit: String = "YES") throws -> [String] {
    try model(content, usedWithCloudKit: usedWithCloudKit).cloudKitFindings().map(\.short)
  }

  // MARK: The models in Resources

  private func findings(in file: String) throws -> [CloudKitFinding] {
    try DataModel(contentsOf: "\(models)/\(file)/contents").cloudKitFindings()
  }

  @Test func relationshipsOfFitIQ9HaveNoInverse() throws {
    let found = try findings(in: "FitIQ-before.xcdatamodeld/FitIQ V9.xcdatamodel")
    #expect(
      found.map(\.short) == [
        "inverse SDUserProfileV9.moodEntries 71", "inverse SDUserProfileV9.photoRecognitions 72",
      ])
    #expect(
      found.map(\.fix) == [
        .addInverse(destination: "SDMoodEntry"), .addInverse(destination: "SDPhotoRecognition"),
      ])
  }

  @Test func relationshipsOfFitIQ10AreNotOptionalAndItsIDIsUnique() throws {
    let found = try findings(in: "FitIQ-before.xcdatamodeld/FitIQ V10.xcdatamodel")
    let relationships = [
      "activitySnapshots", "bodyMetrics", "mealLogs", "moodEntries", "photoRecognitions",
      "progressEntries", "sleepSessions", "workouts",
    ]
    #expect(Set(found.map(\.entity)) == ["SDUserProfileV10"])
    #expect(found.dropLast().map(\.rule) == relationships.map { _ in .optionalRelationship })
    #expect(found.dropLast().map(\.properties) == relationships.map { [$0] })
    #expect(found.last?.rule == .uniqueness)
    #expect(found.last?.properties == ["id"])
  }

  @Test(arguments: [
    "FitIQ.xcdatamodeld/FitIQ V9.xcdatamodel", "FitIQ.xcdatamodeld/FitIQ V10.xcdatamodel",
    "Sydoku.xcdatamodeld/Sydoku.xcdatamodel",
  ])
  func theFixedModelsAreClean(_ file: String) throws {
    let model = try DataModel(contentsOf: "\(models)/\(file)/contents")
    #expect(model.cloudKitFindings().isEmpty)
    #expect(model.cloudKitUse.parts.count == 1)
    #expect(model.cloudKitUse.unusedConfigurations.isEmpty)
    #expect(model.cloudKitUse.unusedEntities == 0)
  }

  // MARK: Rules

  @Test func everyRuleFindsItsViolations() throws {
    let found = try findings(
      """
      <entity name="A">
        <attribute name="text" attributeType="String"/>
        <attribute name="any" optional="YES"/>
        <attribute name="object" optional="YES" attributeType="Object ID"/>
        <relationship name="b" optional="YES" toMany="YES" ordered="YES" deletionRule="Deny" destinationEntity="B" inverseName="a"/>
        <relationship name="alone" destinationEntity="B"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="text"/><constraint value="any"/></uniquenessConstraint>
          <uniquenessConstraint>
            <constraint value="object"/>
          </uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="B">
        <relationship name="a" optional="YES" destinationEntity="A" inverseName="b"/>
      </entity>
      """)
    #expect(
      found == [
        "inverse A.alone 8", "unordered A.b 7", "optionalAttribute A.text 4",
        "optionalRelationship A.alone 8", "attributeType A.any 5", "attributeType A.object 6",
        "deletionRule A.b 7", "uniqueness A.object 11", "uniqueness A.text+any 10",
      ])
  }

  @Test func otherDeletionRulesAndTypesAreSupported() throws {
    let attributes = DataModel.AttributeType.allCases
      .filter { $0 != .undefined && $0 != .objectID }.enumerated().map {
        "<attribute name='a\($0)' optional='YES' attributeType='\($1.rawValue)'/>"
      }
    let relationships = ["Nullify", "Cascade", "No Action"].enumerated().map {
      "<relationship name='r\($0)' optional='YES' toMany='YES' deletionRule='\($1)' "
        + "destinationEntity='A' inverseName='r\($0)'/>"
    }
    let properties = (attributes + relationships).joined()
    #expect(try findings("<entity name='A'>\(properties)</entity>").isEmpty)
  }

  @Test func transientAndDerivedAttributesNeedADefaultToo() throws {
    let found = try findings(
      """
      <entity name="A">
      <attribute name="t" attributeType="String" transient="YES"/>
      <attribute name="d" attributeType="Date" derived="YES"/>
      </entity>
      """)
    #expect(found == ["optionalAttribute A.d 5", "optionalAttribute A.t 4"])
  }

  @Test func namesAreSortedWithoutRegardToCase() throws {
    let found = try findings(
      """
      <entity name="b"><attribute name="x" attributeType="Date"/></entity>
      <entity name="A"><attribute name="z" attributeType="Date"/></entity>
      <entity name="C"><attribute name="b" attributeType="Date"/><attribute name="A" attributeType="Date"/></entity>
      """)
    #expect(
      found == [
        "optionalAttribute A.z 4", "optionalAttribute b.x 3", "optionalAttribute C.A 5",
        "optionalAttribute C.b 5",
      ])
  }

  @Test func anOpenEndIsProposedAsTheInverse() throws {
    let model = try model(
      """
      <entity name="A"><relationship name="b" optional="YES" destinationEntity="B"/></entity>
      <entity name="B"><relationship name="a" optional="YES" destinationEntity="A"/></entity>
      <entity name="C">
      <relationship name="next" optional="YES" destinationEntity="C"/>
      <relationship name="x" optional="YES" destinationEntity="D"/>
      </entity>
      <entity name="D">
      <relationship name="y" optional="YES" destinationEntity="C"/>
      <relationship name="z" optional="YES" destinationEntity="C"/>
      </entity>
      """)
    let fixes = model.cloudKitFindings().filter { $0.rule == .inverse }.map(\.fix)
    #expect(
      fixes == [
        .chooseInverse("a", destination: "B"), .chooseInverse("b", destination: "A"),
        .addInverse(destination: "C"), .addInverse(destination: "D"),
        .chooseInverse("x", destination: "C"), .chooseInverse("x", destination: "C"),
      ])
  }

  // MARK: What is used with CloudKit

  private static let broken = "<attribute name='a' attributeType='Date'/>"

  @Test(arguments: ["NO", "false"])
  func aModelThatIsNotUsedWithCloudKitIsNotLinted(_ flag: String) throws {
    let model = try model("<entity name='A'>\(Self.broken)</entity>", usedWithCloudKit: flag)
    #expect(model.cloudKitFindings().isEmpty)
    #expect(model.cloudKitUse.parts.isEmpty)
    let unmarked = try DataModel(
      parsing: "<model><entity name='A'>\(Self.broken)</entity></model>".utf8)
    #expect(unmarked.cloudKitUse.parts.isEmpty)
    #expect(unmarked.cloudKitFindings().isEmpty)
  }

  @Test func configurationsDecideForTheirEntities() throws {
    let content = """
      <entity name="Shared">\(Self.broken)</entity>
      <entity name="Local">\(Self.broken)</entity>
      <entity name="Both">\(Self.broken)</entity>
      <entity name="None">\(Self.broken)</entity>
      <configuration name="Cloud" usedWithCloudKit="YES">
        <memberEntity name="Shared"/><memberEntity name="Both"/>
      </configuration>
      <configuration name="Device" usedWithCloudKit="NO">
        <memberEntity name="Local"/><memberEntity name="Both"/>
      </configuration>
      """
    let without = try model(content, usedWithCloudKit: "NO")
    #expect(Set(without.cloudKitFindings().map(\.entity)) == ["Shared", "Both"])
    #expect(without.cloudKitUse.unusedConfigurations == ["Device"])
    #expect(without.cloudKitUse.unusedEntities == 1)
    let with = try model(content)
    #expect(Set(with.cloudKitFindings().map(\.entity)) == ["Shared", "Both", "None"])
    #expect(with.cloudKitUse.parts.map(\.configuration) == ["Cloud", nil])
    #expect(with.cloudKitUse.unusedEntities == 0)
  }

  @Test func anInheritedPropertyIsReportedOnceWhereItIsDeclared() throws {
    let found = try findings(
      """
      <entity name="Base" isAbstract="YES">\(Self.broken)</entity>
      <entity name="Middle" parentEntity="Base"/>
      <entity name="Leaf" parentEntity="Middle"/>
      <entity name="Leaf2" parentEntity="Middle"/>
      <configuration name="Cloud" usedWithCloudKit="YES">
        <memberEntity name="Leaf"/><memberEntity name="Leaf2"/>
      </configuration>
      """, usedWithCloudKit: "NO")
    #expect(found == ["optionalAttribute Base.a 3"])
  }

  @Test func relationshipsStayInTheirConfiguration() throws {
    let model = try model(
      """
      <entity name="A"><relationship name="b" optional="YES" destinationEntity="B" inverseName="a"/></entity>
      <entity name="B"><relationship name="a" optional="YES" destinationEntity="A" inverseName="b"/></entity>
      <entity name="C">
        <relationship name="self" optional="YES" destinationEntity="C" inverseName="self"/>
      </entity>
      <configuration name="Cloud" usedWithCloudKit="YES">
        <memberEntity name="A"/><memberEntity name="C"/>
      </configuration>
      <configuration name="Device"><memberEntity name="B"/></configuration>
      """, usedWithCloudKit: "NO")
    #expect(model.cloudKitFindings().map(\.short) == ["destination A.b 3"])
    #expect(
      model.cloudKitFindings().map(\.fix) == [.addDestination("B", configuration: "Cloud")])
  }
}

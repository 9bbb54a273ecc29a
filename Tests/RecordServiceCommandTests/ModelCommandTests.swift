import CloudRecords
import Foundation
import TestSupport
import Testing

/// `schema lint` and `schema generate`, which need no service.
@Suite struct ModelCommandTests {
  private static let models = checkout.path + "/Resources/schema/models"

  private static func contents(_ version: String, before: Bool = true) -> String {
    "\(models)/FitIQ\(before ? "-before" : "").xcdatamodeld/FitIQ \(version).xcdatamodel/contents"
  }

  private static let inverse =
    "CloudKit integration requires that all relationships have an inverse, the following do not:"
  private static let optional =
    "CloudKit integration requires that all relationships be optional, the following are not:"
  private static let unique =
    "CloudKit integration does not support unique constraints. The following entities are "
    + "constrained:"

  /// The lines that follow the heading of a group.
  private func group(_ heading: String, in outcome: Outcome) -> [String] {
    Array(
      outcome.lines.drop { $0 != heading }.dropFirst()
        .prefix { $0.hasPrefix("/") })
  }

  private func model(_ content: String, marked: String = #"usedWithCloudKit="YES""#) -> String {
    "<model \(marked)>\n\(content)\n</model>\n"
  }

  // MARK: lint

  @Test func theBrokenModelsAreReportedInTheGroupsOfCloudKit() throws {
    let home = try TestHome()
    let outcome = try home.run("schema", "lint", "\(Self.models)/FitIQ-before.xcdatamodeld")
    #expect(outcome.status == 1)
    #expect(
      outcome.lines.filter { !$0.hasPrefix("/") } == [Self.inverse, Self.optional, Self.unique])
    let nine = Self.contents("V9")
    #expect(
      group(Self.inverse, in: outcome) == [
        "\(nine):71: SDUserProfileV9: moodEntries: add a relationship to SDMoodEntry that leads "
          + "back, and choose it as the inverse",
        "\(nine):72: SDUserProfileV9: photoRecognitions: add a relationship to SDPhotoRecognition "
          + "that leads back, and choose it as the inverse",
      ])
    let ten = Self.contents("V10")
    let relationships = [
      "activitySnapshots", "bodyMetrics", "mealLogs", "moodEntries", "photoRecognitions",
      "progressEntries", "sleepSessions", "workouts",
    ]
    #expect(
      group(Self.optional, in: outcome)
        == relationships.enumerated().map {
          "\(ten):\(70 + $0): SDUserProfileV10: \($1): make it optional"
        })
    #expect(
      group(Self.unique, in: outcome) == [
        "\(ten):79: SDUserProfileV10: id: remove the constraint, and merge duplicates in the app"
      ])
    #expect(
      outcome.errors
        == "record-service: CloudKit mirroring does not support these models (findings: 11).\n")
    #expect(!FileManager.default.fileExists(atPath: home.data))
  }

  @Test func severalPathsAreLintedTogether() throws {
    let home = try TestHome()
    let outcome = try home.run(
      "schema", "lint", Self.contents("V9"), Self.contents("V10"),
      Self.contents("V9", before: false))
    let bundle = try home.run("schema", "lint", "\(Self.models)/FitIQ-before.xcdatamodeld")
    #expect(outcome.status == 1)
    #expect(Set(outcome.lines) == Set(bundle.lines))
  }

  @Test func onlyTheCurrentVersionIsLintedOnRequest() throws {
    let home = try TestHome()
    let bundle = "\(Self.models)/FitIQ-before.xcdatamodeld"
    let outcome = try home.run("schema", "lint", "--current", bundle)
    #expect(outcome.status == 1)
    #expect(group(Self.inverse, in: outcome).isEmpty)
    #expect(group(Self.optional, in: outcome).count == 8)
    #expect(outcome.errors.contains("does not support this model (findings: 9)"))
  }

  @Test(arguments: ["FitIQ", "Sydoku"]) func theFixedModelsPrintNothing(_ name: String) throws {
    let home = try TestHome()
    let outcome = try home.run("schema", "lint", "\(Self.models)/\(name).xcdatamodeld")
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.isEmpty)
  }

  @Test func everyRuleHasAHeadingAndSaysWhatToChange() throws {
    let home = try TestHome()
    let file = try home.write(
      model(
        """
        <entity name="A">
        <attribute name="a"/>
        <relationship name="b" toMany="YES" ordered="YES" deletionRule="Deny" destinationEntity="B"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="B"><relationship name="back" optional="YES" destinationEntity="A"/></entity>
        <configuration name="C" usedWithCloudKit="YES"><memberEntity name="A"/></configuration>
        """), to: "contents")
    let outcome = try home.run("schema", "lint", file)
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        \(Self.inverse)
        \(file):4: A: b: choose 'back' of B as its inverse
        \(file):7: B: back: choose 'b' of A as its inverse
        CloudKit integration does not support ordered relationships. The following relationships \
        are marked ordered:
        \(file):4: A: b: make it unordered, and keep the order in an attribute
        CloudKit integration requires that all attributes be optional, or have a default value \
        set. The following attributes are marked non-optional but do not have a default value:
        \(file):3: A: a: make it optional, or give it a default value
        \(Self.optional)
        \(file):4: A: b: make it optional
        CloudKit integration does not support all attribute types. The following entities have \
        attributes of an unsupported type:
        \(file):3: A: a: choose a type other than Undefined
        CloudKit integration does not allow relationships to objects that aren't sync'd. The \
        following relationships have destination entities that not in the specified configuration.
        \(file):4: A: b: add B to the configuration 'C', or refer to it by an attribute
        \(file):7: B: back: store A in the default configuration, or refer to it by an attribute
        The following relationships are configured with unsupported delete rules:
        \(file):4: A: b: choose another deletion rule than Deny, such as Nullify
        \(Self.unique)
        \(file):5: A: a, b: remove the constraint, and merge duplicates in the app

        """)
  }

  @Test func whatIsNotUsedWithCloudKitIsNotLintedAndSaidSo() throws {
    let home = try TestHome()
    let broken = #"<entity name="A"><attribute name="a"/></entity>"#
    for marked in ["", #"usedWithCloudKit="NO""#, #"usedWithCloudKit="false""#] {
      let file = try home.write(model(broken, marked: marked), to: "contents")
      let outcome = try home.run("schema", "lint", file)
      #expect(outcome.status == 0)
      #expect(outcome.output.isEmpty)
      #expect(
        outcome.errors
          == "\(file): the model is not marked \"Used with CloudKit\": it was not checked.\n")
    }
    let configurations = """
      <configuration name="Device"><memberEntity name="A"/></configuration>
      <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="B"/></configuration>
      """
    let file = try home.write(
      model(
        "\(broken)<entity name='B'/><entity name='C'/>\(configurations)", marked: ""),
      to: "contents")
    let outcome = try home.run("schema", "lint", file)
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        \(file): the configuration 'Device' is not marked "Used with CloudKit": its entities are \
        not checked.
        \(file): the default configuration is not marked "Used with CloudKit": entities that are \
        in no other configuration (1) are not checked.

        """)
  }

  @Test func filesThatAreNoModelsAreReportedWithTheirPlace() throws {
    let home = try TestHome()
    let bomb = try home.write(
      "<!DOCTYPE model [<!ENTITY a \"aaaa\">]>\n<model>&a;</model>", to: "bomb")
    let large = "\(home.path)/large"
    try #require(FileManager.default.createFile(atPath: large, contents: nil))
    try #require(truncate(large, 100 << 20) == 0)
    let deep = try home.write(String(repeating: "<model>", count: 10_000), to: "deep")
    let cycle = try home.write(
      model("<entity name='A' parentEntity='B'/>\n<entity name='B' parentEntity='A'/>"),
      to: "cycle")
    for (file, sentence) in [
      (bomb, "\(bomb):1: a model has no document type (<!DOCTYPE …>) and defines no entities."),
      (large, "\(large): the file is larger than 8 MB."),
      (deep, "\(deep):1: elements are nested more than 64 deep."),
      (cycle, "\(cycle):2: A inherits from itself."),
    ] {
      for command in ["lint", "generate"] {
        let outcome = try home.run("schema", command, file)
        #expect(outcome.status == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "record-service: \(sentence)\n")
      }
    }
    let missing = try home.run("schema", "lint", "\(home.path)/none")
    #expect(missing.status == 1)
    #expect(
      missing.errors
        == "record-service: \(home.path)/none: cannot be read: No such file or directory.\n")

    // The other files are linted nevertheless.
    let both = try home.run("schema", "lint", bomb, Self.contents("V9"), "\(home.path)/none")
    #expect(both.status == 3)
    #expect(group(Self.inverse, in: both).count == 2)
    #expect(both.errors.contains("\(bomb):1: "))
    #expect(both.errors.contains("none: cannot be read"))
    #expect(both.errors.contains("findings: 2"))
    #expect(try home.run("schema", "lint").status == 2)
  }

  @Test func memoryIsBounded() throws {
    let home = try TestHome()
    let relationships = (0..<70_000).map {
      "<relationship name='r\($0)' toMany='YES' destinationEntity='A' inverseName='r\($0)'/>"
    }
    let values = String(repeating: "x", count: 7 << 20)
    for (text, status, sentence) in [
      (model("<entity name='A'>\(relationships.joined())</entity>"), 1, "findings: 70000"),
      ("<html a='\(values)'/>", 3, "the root element is 'html'"),
      ("<\(values)/>", 3, "the root element is 'xxx"),
      ("<model>\(String(repeating: "<a>", count: 2 << 20))", 3, "nested more than"),
      (String(repeating: "<!-- -->", count: 13 << 20), 3, "larger than 8 MB"),
    ] {
      let file = try home.write(text, to: "contents")
      let outcome = try home.run(["schema", "lint", file], memory: 256 << 10)
      #expect(outcome.status == Int32(status), "\(outcome.errors.prefix(1000))")
      #expect(outcome.errors.contains(sentence), "\(outcome.errors.prefix(1000))")
    }
    // A lower limit stops the program, so the limit has an effect.
    #expect(try home.run(["schema", "lint", home.path], memory: 256).status > 3)
  }

  @Test func namesCannotControlTheTerminal() throws {
    let home = try TestHome()
    let file = try home.write(
      model("<entity name='A&#10;B&#x9B;31m'><attribute name='a&#9;b'/></entity>"), to: "contents")
    let outcome = try home.run("schema", "lint", file)
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 4)
    #expect(!outcome.output.unicodeScalars.contains { $0.value == 0x9B || $0.value == 9 })
  }

  // MARK: generate

  @Test(arguments: [("FitIQ", "fitiq"), ("Sydoku", "sydoku")])
  func theSchemaOfAModelCanBeImported(_ name: String, _ schema: String) throws {
    let home = try TestHome()
    let outcome = try home.run("schema", "generate", "\(Self.models)/\(name).xcdatamodeld")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let kept = try String(contentsOfFile: "\(Self.models)/../\(schema).ckdb", encoding: .utf8)
    #expect(outcome.output == kept)

    let container = "iCloud.org.example.app"
    let imported = try home.run(
      "schema", "import", "-", "--container", container, input: outcome.output)
    #expect(imported.status == 0, "\(imported)")
    let exported = try home.run(
      "schema", "export", "--environment", "development", "--container", container)
    #expect(exported.output == kept)
  }

  @Test func aModelThatCannotBeMirroredHasNoSchema() throws {
    let home = try TestHome()
    let broken = try home.run("schema", "generate", Self.contents("V9"))
    #expect(broken.status == 1)
    #expect(broken.output.isEmpty)
    #expect(broken.errors.contains("\(Self.contents("V9")):71: SDUserProfileV9: moodEntries: add"))

    let unmarked = try home.write(model("<entity name='A'/>", marked: ""), to: "unmarked")
    let conflict = try home.write(
      model(
        "<entity name='A'><attribute name='entityName' optional='YES' attributeType='Date'/></entity>"
      ),
      to: "conflict")
    let name = try home.write(model("<entity name='größe'/>"), to: "name")
    for (file, sentence) in [
      (
        unmarked,
        "\(unmarked): the model is not marked \"Used with CloudKit\", so it is not mirrored."
      ),
      (
        conflict,
        "\(conflict):2: A: the field 'CD_entityName' for 'entityName' is already used by another "
          + "property or by mirroring; rename the property."
      ),
      (
        name,
        "\(name):2: größe: names of record types and fields have only ASCII letters, digits and _, "
          + "and at most 255 of them including the prefix CD_ and the suffix _ckAsset: 'größe'."
      ),
    ] {
      let outcome = try home.run("schema", "generate", file)
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors == "record-service: \(sentence)\n")
    }
  }

  @Test func theBundleHasToSayWhichVersionIsTheCurrentOne() throws {
    let home = try TestHome()
    for version in ["A", "B"] {
      let folder = "\(home.path)/M.xcdatamodeld/\(version).xcdatamodel"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try home.write(
        model("<entity name='\(version)'/>"), to: "M.xcdatamodeld/\(version).xcdatamodel/contents")
    }
    let bundle = "\(home.path)/M.xcdatamodeld"
    let outcome = try home.run("schema", "generate", bundle)
    #expect(outcome.status == 3)
    #expect(
      outcome.errors == "record-service: \(bundle): the model has several versions, and no file "
        + ".xccurrentversion that names the current one.\n")
    #expect(try home.run("schema", "lint", bundle).status == 0)
    try home.write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>B.xcdatamodel</string></dict></plist>",
      to: "M.xcdatamodeld/.xccurrentversion")
    #expect(try home.run("schema", "generate", bundle).output.contains("RECORD TYPE CD_B"))
  }
}

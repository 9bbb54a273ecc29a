import CoreDataModels
import Foundation
import Glibc
import TestSupport
import Testing

/// Files that are made to take memory or time, or that are no models at all.
struct HostileModelTests {
  @Test func aHundredMegabytesAreNotRead() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/contents"
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, 100 << 20) == 0)
    let error = #expect(throws: ModelError.self) { try DataModel(contentsOf: path) }
    #expect(error?.problem == .tooLarge)
    #expect(error?.path == path)
  }

  @Test func endlessInputIsReadUpToTheLimit() throws {
    // The file is endless and has no size. Its first bytes are refused.
    let error = #expect(throws: ModelError.self) { try DataModel(contentsOf: "/dev/zero") }
    #expect(error?.problem == .malformed(.invalidCharacters))

    var parts = 0
    let spaces = sequence(state: Array("<model>".utf8)) { start -> UInt8? in
      parts += 1
      return start.isEmpty ? UInt8(ascii: " ") : start.removeFirst()
    }
    let tooLarge = #expect(throws: ModelError.self) { try DataModel(parsing: spaces) }
    #expect(tooLarge?.problem == .tooLarge)
    // It is read in parts of 1 MiB.
    #expect(parts == DataModel.Limits.fileBytes + (1 << 20))
  }

  @Test func nestingHasALimit() {
    let deep = String(repeating: "<entity name='A'>", count: 10_000)
    #expect(refusal("<model>\n\(deep)")?.problem == .nesting)
    #expect(refusal("<model>\n\(deep)")?.line == 2)
    func nested(_ depth: Int) -> String {
      "<model>" + String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        + "</model>"
    }
    #expect(refusal(nested(DataModel.Limits.nesting - 1)) == nil)
    #expect(refusal(nested(DataModel.Limits.nesting))?.problem == .nesting)
  }

  @Test(arguments: [
    """
    <!DOCTYPE model [
      <!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
      <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
    ]>
    <model><entity name="&c;"/></model>
    """,
    #"<!DOCTYPE model [<!ENTITY f SYSTEM "file:///etc/passwd">]><model>&f;</model>"#,
    #"<!DOCTYPE model SYSTEM "http://example.org/model.dtd"><model/>"#,
    #"<!DOCTYPE model [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><model/>"#,
    "<!DOCTYPE model><model/>",
  ])
  func documentTypesAreRefused(_ text: String) {
    #expect(refusal(text)?.problem == .documentType)
  }

  @Test func referencesToEntitiesAreRefused() {
    #expect(refusal("<model>&a;</model>")?.problem == .malformed(.undefinedEntity))
    #expect(refusal("<model>&#x0;</model>")?.problem == .malformed(.invalidCharacters))
  }

  @Test(arguments: [
    [0xC3, 0x28], [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0x00],
  ])
  func textThatIsNotUTF8IsRefused(_ bytes: [UInt8]) {
    let text = Array(#"<model><entity name="A"#.utf8) + bytes + Array(#""/></model>"#.utf8)
    let error = refusal(text)
    #expect(error?.problem == .malformed(.invalidCharacters))
    #expect(error?.line == 1)
  }

  @Test func unknownEncodingsAreRefused() {
    func text(_ encoding: String) -> String {
      #"<?xml version="1.0" encoding="\#(encoding)"?><model/>"#
    }
    #expect(refusal(text("x-unknown"))?.problem == .malformed(.encoding))
    #expect(refusal(text("UTF-16"))?.problem == .malformed(.encoding))
    #expect(refusal(text("UTF-8")) == nil)
  }

  @Test(arguments: [
    ("", ModelError.XMLFault.noElement), ("  \n", .noElement), ("<model>", .noElement),
    ("<model", .unfinished), ("<model><entity name='A'></model>", .mismatchedTag),
    ("<model a='1' a='2'/>", .duplicateAttribute), ("<model/><model/>", .junk),
    ("model", .invalidCharacters), ("<model a=1/>", .invalidCharacters),
  ])
  func malformedFilesAreRefused(_ text: String, _ fault: ModelError.XMLFault) {
    #expect(refusal(text)?.problem == .malformed(fault))
  }

  @Test func otherDocumentsAreRefused() {
    #expect(refusal("<html/>")?.problem == .root("html"))
    let long = String(repeating: "a", count: 1_000_000)
    #expect(refusal("<\(long)/>")?.problem == .root(String(long.prefix(100))))
  }

  @Test func namesHaveALimit() {
    let name = String(repeating: "a", count: DataModel.Limits.nameBytes)
    #expect(refusal(xml("<entity name='\(name)'/>")) == nil)
    #expect(refusal(xml("<entity name='\(name)a'/>"))?.problem == .nameTooLong)
  }

  @Test(arguments: [2, 3, 10_000])
  func cyclesOfInheritanceAreRefused(_ length: Int) {
    let entities = (0..<length).map {
      "<entity name='E\($0)' parentEntity='E\(($0 + 1) % length)'/>"
    }
    let free = "<entity name='F' parentEntity='E1'/>"
    let error = refusal(xml(([free] + entities).joined(separator: "\n")))
    guard case .inheritanceCycle(let entity) = error?.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(entity == "E1")
  }

  @Test func longChainsOfInheritanceAreRefused() {
    func chains(_ length: Int) -> [String] {
      let entities =
        ["<entity name='E0'/>"]
        + (1...length).map { "<entity name='E\($0)' parentEntity='E\($0 - 1)'/>" }
      return [entities, entities.reversed()].map { xml($0.joined()) }
    }
    let limit = DataModel.Limits.ancestors
    #expect(chains(limit).allSatisfy { refusal($0) == nil })
    for chain in chains(limit + 1) + chains(100_000) {
      #expect(refusal(chain)?.problem == .tooManyAncestors(entity: "E\(limit + 1)"))
    }
  }

  /// As many relationships as fit into a file. This would take hours if time grew with the square.
  @Test func theLargestModelsAreReadAndLinted() throws {
    let relationships = (0..<70_000).map {
      "<relationship name='r\($0)' toMany='YES' destinationEntity='A' inverseName='r\($0)'/>"
    }
    let model = try model(
      "<entity name='A'>\(relationships.joined())</entity>"
        + "<configuration name='C' usedWithCloudKit='YES'><memberEntity name='A'/></configuration>"
    )
    #expect(model.cloudKitFindings().count == relationships.count)
  }

  @Test func oneLongTagIsReadAtOnce() throws {
    let attributes = (0..<400_000).map { "a\($0)='\($0)'" }.joined(separator: " ")
    #expect(refusal("<model \(attributes)/>") == nil)
    let value = String(repeating: "x", count: 7 << 20)
    #expect(refusal("<model a='\(value)'/>") == nil)
  }
}

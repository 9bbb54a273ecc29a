import Foundation
import Messages
import Quran
import Testing
import Text

@testable import Commands
@testable import Editions

struct ReadCommandTests {
  private enum Form { case referenced, plain, json }

  private func read(
    _ references: String..., form: Form = .referenced, edition: Edition = .bundled
  ) throws -> Output {
    let output = Output()
    let context = context(asJSON: form == .json, in: output)
    try context.read(
      context.ayahs(references), editions: [edition], isPlain: form == .plain)
    return output
  }

  private func context(
    _ language: Language = .english, asJSON: Bool = false, in output: Output = Output()
  ) -> CommandContext {
    CommandContext(
      console: output.console(), messages: Messages(language), asJSON: asJSON, libraryPath: nil,
      now: { 1 }, warn: { _ in })
  }

  private func text(_ ayah: String) throws -> String {
    Edition.bundled.text(of: try #require(AyahID(ayah)))
  }

  // MARK: Forms

  @Test func anAyahIsPrintedAfterItsReference() throws {
    #expect(try read("2:255").text == "2:255  \(text("2:255"))\n")
    #expect(
      try read("1:7-2:2").lines
        == ["1:7", "2:1", "2:2"].map { "\($0)  \(try text($0))" })
  }

  @Test func plainOutputIsTheTextOnly() throws {
    #expect(try read("112", form: .plain).lines == (1...4).map { try text("112:\($0)") })
  }

  @Test func fieldsOfTheJSON() throws {
    let output = try read("1:7-2:1", form: .json)
    let decoded = try output.decoded([DecodedAyah].self)
    #expect(
      decoded == [
        DecodedAyah(
          ayah: "1:7", surah: 1, number: 7, edition: "vi.quranvi", text: try text("1:7")),
        DecodedAyah(
          ayah: "2:1", surah: 2, number: 1, edition: "vi.quranvi", text: try text("2:1")),
      ])
    #expect(output.text.hasSuffix("]\n"))
  }

  @Test func theWholeBookCanBePrinted() throws {
    let output = try read("1:1-114:6", form: .plain)
    #expect(output.lines.count == 6236)
  }

  @Test func controlCharactersOfAnEditionAreNotPrinted() throws {
    let edition = try Edition(oddText: "a\u{1B}]0;x\u{7}b\u{9B}31mc\u{202E}d")
    for form in [Form.referenced, .plain] {
      #expect(try read("1:1", form: form, edition: edition).lines.count == 1)
      #expect(try read("1:1", form: form, edition: edition).text.hasSuffix("a]0;xb31mcd\n"))
    }
    let json = try read("1:1", form: .json, edition: edition).text
    #expect(
      !json.unicodeScalars.contains {
        $0.properties.generalCategory == .control && $0 != "\n"
      })
    let decoded = try JSONDecoder().decode([DecodedAyah].self, from: Data(json.utf8))
    #expect(decoded.first?.text == "a\u{1B}]0;x\u{7}b\u{9B}31mc\u{202E}d")
  }

  // MARK: References

  @Test func everyArgumentIsAReference() throws {
    #expect(try read("2:1", "36:1-2", "juz 30").lines.count == 1 + 2 + 564)
  }

  @Test func aReferenceMaySpanArguments() throws {
    #expect(try read("juz", "30").text == read("juz 30").text)
    #expect(try read("con", "bò", "cái", "5").text == read("2:5").text)
    #expect(try read("1:1", "trang", "604", "112:1").text == read("1:1", "trang 604", "112:1").text)
  }

  /// The longest sequence of words that forms a reference is read as one.
  @Test func theLongestReferenceIsTaken() throws {
    #expect(try read("ya", "sin").text == read("36").text)
    #expect(try read("baqarah", "255").text == read("2:255").text)
    #expect(try read("yasin", "maryam", "1:1").text == read("36", "19", "1:1").text)
    #expect(try read("quranvn://surah/112", "36:1").text == read("112:1", "36:1").text)
  }

  @Test func consecutiveNumbersAreSeparateReferences() throws {
    #expect(try read("36", "112").text == read("36").text + read("112").text)
    #expect(try read("2:255", "3").text == read("2:255").text + read("3").text)
  }

  @Test func theOrderOfArgumentsIsKept() throws {
    #expect(try read("3:2", "1:1", "3:2").lines.map { $0.prefix(3) } == ["3:2", "1:1", "3:2"])
  }

  @Test(arguments: [
    (["115"], "There is no surah 115; surahs are numbered 1 to 114."),
    (["2:287"], "There is no ayah 2:287; surah 2 (Al-Baqarah) has 286 ayahs."),
    (["1:1", "xyz"], "“xyz” is not a place in the Quran"),
    (["juz", "31"], "There is no juz 31; they are numbered 1 to 30."),
    (["1:1", "trang", "605"], "There is no page 605; they are numbered 1 to 604."),
    (["2:5-2"], "2:5-2:2 runs backwards; write 2:2-2:5."),
    ([""], "No place was given"), ([], "No place was given"),
    (["baqarah", "287"], "There is no ayah 2:287"),
    (["quranvn://surah/0"], "There is no surah 0"),
  ])
  func anInvalidReferenceIsAUsageError(_ references: [String], message: String) throws {
    let failure = try #require(throws: CommandFailure.self) {
      try context().ayahs(references)
    }
    #expect(failure.status == .usage)
    #expect(failure.message.hasPrefix(message), "\(failure.message)")
    #expect(!failure.message.contains("\n"))
  }

  @Test func theErrorForAnUnknownWordMentionsHelp() throws {
    let failure = try #require(throws: CommandFailure.self) {
      try context().ayahs(["serach", "x"])
    }
    #expect(failure.message.hasSuffix(" See: quran-vi --help"))
  }

  @Test func errorsAreInTheLanguageOfTheInterface() throws {
    let failure = try #require(throws: CommandFailure.self) {
      try context(.vietnamese).ayahs(["2:287"])
    }
    #expect(failure.message == "Không có câu 2:287; chương 2 (Al-Baqarah) có 286 câu.")
  }
}

extension Edition {
  /// An edition whose first ayah is this text, and every other ayah `chữ`. Its file, which is never
  /// freed, is changed after it was validated: a valid file has no control characters.
  init(oddText: String) throws { try self.init(oddBytes: Array(oddText.utf8)) }

  init(oddBytes: [UInt8]) throws {
    let first = String(repeating: "-", count: oddBytes.count)
    let others = [String](repeating: "chữ", count: AyahID.count - 1)
    let content = EditionContent(texts: [first] + others, footnotes: [:], basmalas: [:])
    let file = try EditionFile.encode(Edition.bundled.info, content)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: 1)
    copy.copyBytes(from: file)
    try self.init(file: UnsafeRawBufferPointer(copy))
    UnsafeMutableRawBufferPointer(mutating: bytes(of: .first)).copyBytes(from: oddBytes)
  }
}

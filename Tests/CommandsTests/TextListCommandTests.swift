import Editions
import Foundation
import Messages
import Testing
import Text

@testable import Commands

struct TextListCommandTests {
  private func list(_ language: Language, asJSON: Bool = false) throws -> Output {
    let output = Output()
    try CommandContext(
      console: output.console(), messages: Messages(language), asJSON: asJSON, libraryPath: nil,
      now: { 1 }, warn: { _ in }
    ).listEditions([.bundled])
    return output
  }

  @Test func anEditionNotRecognisedIsNeverListedWithoutSayingSo() throws {
    #expect(
      try list(.english).lines
        == ["vi.quranvi  vi  Bundled rendering – not reviewed by scholars  (CC0-1.0)"])
    #expect(
      try list(.vietnamese).lines
        == ["vi.quranvi  vi  Bản diễn ý kèm theo – chưa được thẩm định  (CC0-1.0)"])
  }

  @Test func jsonHoldsEverythingAboutAnEdition() throws {
    struct Entry: Decodable, Equatable {
      let id, language, direction, title, translator, source, version, licence: String
      let recognised: Bool
    }
    let output = try list(.english, asJSON: true)
    let entries = try JSONDecoder().decode([Entry].self, from: Data(output.text.utf8))
    #expect(
      entries == [
        Entry(
          id: "vi.quranvi", language: "vi", direction: "ltr", title: "Bản diễn ý kèm theo",
          translator: "Quran-vi", source: "Quran-vi", version: "1", licence: "CC0-1.0",
          recognised: false)
      ])
  }

  @Test func anEditionIsFoundByItsId() throws {
    let messages = Messages(.english)
    #expect(try Edition.named("vi.quranvi", messages: messages).info.id == "vi.quranvi")
    #expect(try Edition.named(nil, messages: messages).info.id == "vi.quranvi")
    let failure = try #require(throws: CommandFailure.self) {
      try Edition.named("vi.nobody\u{1B}", messages: messages)
    }
    #expect(failure.status == .notFound)
    #expect(failure.message == "There is no edition “vi.nobody”; there are: vi.quranvi.")
  }
}

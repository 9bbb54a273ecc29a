import Editions
import Foundation
import Quran
import TestSupport
import Testing

struct EditionTests {
  @Test func theBundledTextEqualsTheResourceByteForByte() throws {
    let data = try Data(
      contentsOf: checkout.appending(path: "Resources/quran/vi.quranvi.txt"))
    #expect(Data(Edition.bundled.fileBytes) == data)
    let lines = data.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }
    #expect(lines.count == AyahID.count)
    for (line, ayah) in zip(lines, AyahID.first...AyahID.last) {
      let text = Edition.bundled.text(of: ayah)
      #expect(Data("\(ayah.surah)|\(ayah.ayah)|\(text)".utf8) == Data(line))
      #expect(Data(Edition.bundled.bytes(of: ayah)) == Data(text.utf8))
    }
  }

  @Test func theBundledTextIsComposedAndNotEmpty() {
    for ayah in AyahID.first...AyahID.last {
      let text = Edition.bundled.text(of: ayah)
      #expect(!text.isEmpty)
      let composed = text.precomposedStringWithCanonicalMapping
      #expect(Array(text.utf8) == Array(composed.utf8))
    }
  }

  @Test func theBundledTextIsNotRecognised() {
    #expect(Edition.bundled.info.id == "vi.quranvi")
    #expect(Edition.bundled.info.language == "vi")
    #expect(!Edition.bundled.info.isRecognised)
    #expect(Edition.bundled.info.isBundled && !Edition.bundled.hasFootnotes)
  }
}

import Foundation
import LegacyImport
import Library
import Quran
import Testing

struct ImportedNoteIDTests {
  /// The results of Python's `uuid.uuid5`.
  @Test(arguments: [
    ("2:255", 0, "Đọc mỗi tối", "d37ed1fb-ead2-524d-abdb-9d72a1c01ea7"),
    ("2:255", 1, "Đọc mỗi tối", "6aae42a1-1501-5c24-b731-f4b705cda018"),
    ("114:6", 0, "a\nb", "51494c4e-b2c6-5936-8c1e-ea329a054069"),
    ("1:1", 12, "🌙", "e0c90fc5-a83a-55bb-a063-fdd0688eb10e"),
    ("1:1", 0, String(repeating: "x", count: 1000), "40aae2c5-36d7-5999-a6b9-a230e874a3cb"),
  ])
  func idsAreThoseOfRFC9562(ayah: String, ordinal: Int, text: String, id: String) throws {
    let made = ImportedNoteID.id(
      ayah: AyahID(ayah)!, ordinal: ordinal, text: try NoteText(text))
    #expect(made.uuidString.lowercased() == id)
  }

  @Test func theNamespaceNeverChanges() {
    #expect(
      ImportedNoteID.namespace.uuidString.lowercased() == "0e28c3b9-b9b5-506c-9470-64b29b30b991")
  }

  @Test func spellingsOfTheSameTextHaveTheSameID() throws {
    func id(_ text: String) throws -> UUID {
      ImportedNoteID.id(ayah: .first, ordinal: 0, text: try NoteText(text))
    }
    #expect(try id("ầ\r\nb") == id("a\u{302}\u{300}\nb"))
    #expect(try id("a") != id("b"))
  }
}

import Foundation
import LegacyImport
import Quran
import Testing

/// Archives that Foundation writes.
struct KeyedArchiveTests {
  private func dump(_ key: LegacyKey, _ object: Any) throws -> LegacyDump {
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: object, requiringSecureCoding: false)
    let list = try PropertyListSerialization.data(
      fromPropertyList: [key.rawValue: archive], format: .xml, options: 0)
    return try LegacyDump(Array(list))
  }

  @Test func setsAndListsOfTextsAreRead() throws {
    let set = try dump(.favorites, NSSet(array: ["2:255", "1:1", "x"]))
    #expect(set.favorites.sorted().map(\.description) == ["1:1", "2:255"])
    #expect(set.entryCount(of: .favorites) == 3)
    #expect(set.shapes[.favorites]?.steps == [.data, .binaryPropertyList, .keyedArchive])
    let list = try dump(.favorites, NSArray(array: ["2:255", NSMutableString(string: "1:1")]))
    #expect(list.favorites.map(\.description) == ["2:255", "1:1"])
  }

  @Test func dictionariesAreRead() throws {
    let notes = try dump(
      .notes,
      NSDictionary(dictionary: ["1:1": NSArray(array: ["a\nb", "ầ"]), "1:2": NSString("c")]))
    #expect(notes.notes == [note("1:1", "a\nb"), note("1:1", "ầ"), note("1:2", "c")])
    let progress = try dump(
      .progress,
      NSDictionary(dictionary: [
        NSNumber(value: 2): NSDictionary(dictionary: ["lastReadAyah": NSNumber(value: 45)]),
        NSNumber(value: 115): NSDictionary(dictionary: ["lastReadAyah": NSNumber(value: 1)]),
      ]))
    #expect(progress.progress == [LegacyProgress(SurahNumber(2)!, lastReadAyah: 45)])
    #expect(progress.problems.map(\.reason) == [.noSuchSurah("115")])
  }

  @Test func dataInAnArchiveIsRead() throws {
    let dump = try dump(.favorites, NSData(data: Data(#"["1:1"]"#.utf8)))
    #expect(dump.favorites.map(\.description) == ["1:1"])
    #expect(dump.shapes[.favorites]?.code == "data+binary-property-list+keyed-archive+data+json")
  }
}

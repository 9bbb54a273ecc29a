import CloudRecords
import Foundation
import Library
import Quran
import Sync

let user = "_0123456789abcdef0123456789abcdef"

func ayah(_ name: String) -> AyahID { AyahID(name)! }

func surah(_ number: Int) -> SurahNumber { SurahNumber(number)! }

func favorite(_ name: String = "2:255", at time: Int64) -> Entry {
  .favorite(Favorite(ayah(name), favoritedAt: time))
}

func note(
  _ text: String, id: UUID = UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF")!,
  of name: String = "2:255", from created: Int64 = 1, at modified: Int64
) -> Note {
  Note(
    id: id, ayah: ayah(name), text: try! NoteText(text), createdAt: created,
    modifiedAt: modified)
}

func progress(_ last: Int, at time: Int64 = 1) -> Entry {
  .progress(SurahProgress(surah(2), lastReadAyah: last, lastUpdatedAt: time))
}

func setting(_ value: String, at time: Int64) -> Entry {
  .setting(Setting(key: "theme", value: value, lastModifiedAt: time))
}

extension Entry {
  /// The entry's record, as the user's device creates it.
  func record(tag: String? = "1") -> Record {
    Record(
      recordName(of: user), type: thing.kind.recordType, fields: fields(of: user),
      recordChangeTag: tag)
  }
}

import CloudRecords
import Foundation
import Library
import Quran
import RecordServer
import Sync
import Testing

@testable import RecordServiceSupport

/// The reader itself with the service of its container, and the container's schema.
struct QuranReaderTests {
  /// A library with its engine, on a device of a person.
  private struct Reader {
    let library: Library
    let engine: SyncEngine
    let clock: AccountFixture.Clock

    init(_ device: Device) throws {
      let (web, library) = (device.web, try Library.inMemory())
      self.library = library
      clock = web.clock
      engine = SyncEngine(
        library: library, service: device.client, now: { web.clock.now }, random: { 1 << 63 })
      try engine.adopt(
        SyncAccount(
          origin: web.url, container: web.container.name, environment: "production",
          userRecordName: device.user, isConfirmed: true))
    }

    func commit(_ changes: Change...) throws {
      clock.advance(1)
      try library.commit(changes, at: clock.now)
    }

    /// The favourites, notes, progress and settings as text.
    var contents: [String] {
      get throws {
        let snapshot = try library.snapshot()
        var lines = snapshot.favorites.map { "favorite \($0.ayah)" }
        lines += snapshot.progress.map { "progress \($0.surah) \($0.lastReadAyah)" }
        lines += snapshot.settings.map { "setting \($0.key) \($0.value)" }
        lines += try library.allNotes().map { "note \($0.ayah) \($0.text.text)" }
        return lines.sorted()
      }
    }
  }

  @Test(.covers(.quranReaderSyncs, .quranHasFiveTypes, .quranChecklist), arguments: Place.allCases)
  func twoReadersHaveTheSameLibrary(_ place: Place) async throws {
    try await AppFixture.run(.quran, on: place) { app in
      let device = try await app.device("an")
      let (desk, laptop) = (try Reader(device), try Reader(try await app.device("an")))
      for reader in [desk, laptop] {
        #expect(try await reader.engine.prepareAccount(named: "An") == nil)
      }
      let ayah = try #require(AyahID("2:255"))
      let id = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
      try desk.commit(.setFavorite(ayah, true), .addNote(id, ayah, NoteText("một ghi chú")))
      try desk.commit(.setProgress(SurahNumber(2)!, to: 143), .set("theme", "\"dark\""))
      for reader in [desk, laptop] { _ = try await reader.engine.round() }
      let contents = [
        "favorite 2:255", "note 2:255 một ghi chú", "progress 2 143", "setting theme \"dark\"",
      ]
      #expect(try desk.contents == contents)
      #expect(try laptop.contents == contents)

      // The records have the names of the schema document.
      let names = [
        device.user: "UserProfile", "favorite-\(device.user)-2:255": "FavoriteAyah",
        "note-\(device.user)-2:255-\(id)": "AyahNote",
        "progress-\(device.user)-2": "ReadingProgress",
        "setting-\(device.user)-theme": "AppSettings",
      ]
      let found = try await device.lookup(names.keys.sorted())
      #expect(
        found.map { $0.record?.recordType }
          == names.sorted { $0.key < $1.key }.map(\.value), "\(found.summary)")
      #expect(try Set(names.values) == Set(AppSchema.quran.schema.recordTypes.keys))

      try laptop.commit(.setFavorite(ayah, false))
      for reader in [laptop, desk] { _ = try await reader.engine.round() }
      #expect(try desk.contents == Array(contents.dropFirst()))
      #expect(try await desk.engine.deleteEverything() == 4)
      #expect(try await device.lookup(names.keys.sorted()).allSatisfy { $0.record == nil })
    }
  }

  @Test(.covers(.quranProductionIsImmutable), arguments: Place.allCases)
  func productionRefusesToRemoveRetypeAndRename(_ place: Place) async throws {
    let schema = try AppSchema.quran.schema
    func changed(_ change: (inout Schema) -> Void) -> Schema {
      var schema = schema
      change(&schema)
      return schema
    }
    let note = try #require(schema["AyahNote"]?.fields["noteText"])
    let refused: [(Schema, [SchemaChange])] = [
      (changed { $0["AppSettings"] = nil }, [.typeRemoved("AppSettings")]),
      (
        changed { $0["AyahNote"]?.fields["noteText"] = nil },
        [.fieldRemoved(type: "AyahNote", field: "noteText")]
      ),
      (
        changed { $0["AyahNote"]?.fields["noteText"]?.type = .bytes },
        [.fieldRetyped(type: "AyahNote", field: "noteText", from: .string, to: .bytes)]
      ),
      // A renamed field is one that is removed and one that is added.
      (
        changed {
          $0["AyahNote"]?.fields["noteText"] = nil
          $0["AyahNote"]?.fields["text"] = note
        }, [.fieldRemoved(type: "AyahNote", field: "noteText")]
      ),
      (
        changed {
          $0["Note"] = $0["AyahNote"]
          $0["AyahNote"] = nil
        }, [.typeRemoved("AyahNote")]
      ),
    ]
    try await AppFixture.run(.quran, on: place) { app in
      for (changed, changes) in refused {
        await #expect(throws: SchemaRefusal(changes: changes)) { try await app.deploy(changed) }
      }
      for environment in ContainerEnvironment.allCases {
        #expect(
          try await app.web.service.schema(of: app.web.container, environment) == schema)
      }
      // Another field and another index are accepted.
      var larger = schema
      larger["AyahNote"]?.fields["color"] = FieldDefinition(.string, .queryable)
      larger["AyahNote"]?.fields["noteText"]?.indexes = .queryable
      try await app.deploy(larger)
      #expect(
        try await app.web.service.schema(of: app.web.container, .production) == larger)
    }
  }
}

import Editions
import Foundation
import Library
import Messages
import Quran
import Sync
import Terminal
import Testing
import Text

@testable import Reader

/// Whole screens, compared with the files in Screens: the text that the user should see, and below
/// it the styles of the cells. After an intended change, `RECORD_SCREENS=1` overwrites the files:
/// read the difference before committing it.
@Suite struct ScreenTests {
  struct Scene: Sendable, CustomTestStringConvertible {
    let name: String
    let keys: String
    var place: AyahID?
    var opening: AyahID?
    var language = Language.vietnamese
    var isIndexed = true
    /// Whether there are favourites, notes, progress and cues.
    var isFull = false
    /// A dump of the older app that is found.
    var dump: String?
    /// The status of sync; nil if the library is not connected.
    var sync: SyncStatus?
    /// The state of the texts; nil for the bundled text only.
    var texts: InstalledTexts.Sample?
    /// How Arabic is drawn; nil if the configuration turns it off.
    var arabic: ArabicDisplay? = .shaped

    var testDescription: String { name }
  }

  static let scenes = [
    Scene(name: "library-first-start", keys: ""),
    Scene(name: "library", keys: "", place: AyahID("2:45")),
    Scene(name: "library-english", keys: "j", language: .english),
    Scene(name: "library-without-arabic", keys: "<Down>", arabic: nil),
    Scene(name: "library-end", keys: "G"),
    Scene(name: "library-filter", keys: "/an n"),
    Scene(name: "library-filter-empty", keys: "/xyz"),
    Scene(name: "juz", keys: "2jj"),
    Scene(name: "reading-first", keys: "<Enter>"),
    Scene(name: "reading-throne", keys: "g2:255<Enter>"),
    Scene(name: "reading-flow", keys: "g2:255<Enter>mj"),
    Scene(name: "reading-tall", keys: "g2:282<Enter>jjj"),
    Scene(name: "reading-sajda", keys: "g32:15<Enter>"),
    Scene(name: "reading-end", keys: "g114<Enter>Gj"),
    Scene(name: "reading-no-basmala", keys: "g9<Enter>"),
    Scene(name: "search-start", keys: "5"),
    Scene(name: "search-marked", keys: "5dâng"),
    Scene(name: "search-plain", keys: "5khoan dung"),
    Scene(name: "search-reference", keys: "5ya sin"),
    Scene(name: "search-nothing", keys: "5xyzzy"),
    Scene(name: "search-waiting", keys: "5dang", isIndexed: false),
    Scene(name: "search-hit", keys: "5khoan dung<Down><Enter>n"),
    Scene(name: "search-strange", keys: "5\u{64}\u{61}\u{302}\u{300}ng 👨‍👩‍👧 漢字 e\u{301}"),
    Scene(name: "goto", keys: "g2:25"),
    Scene(name: "goto-refused", keys: "g2:300<Enter>"),
    Scene(name: "palette", keys: "<C-p>"),
    Scene(name: "palette-filtered", keys: "<C-p>chep"),
    Scene(name: "help", keys: "?"),
    Scene(name: "help-end", keys: "?G"),
    Scene(name: "command-completion", keys: ":theme <Tab>"),
    Scene(name: "command-unknown", keys: ":xyz<Enter>"),
    Scene(name: "library-full", keys: "", isFull: true),
    Scene(name: "favorites-empty", keys: "3"),
    Scene(name: "favorites-full", keys: "3j", isFull: true),
    Scene(name: "notes-empty", keys: "4"),
    Scene(name: "notes-full", keys: "4j", isFull: true),
    Scene(name: "progress-empty", keys: "6"),
    Scene(name: "progress-full", keys: "6", isFull: true),
    Scene(name: "progress-surahs", keys: "6GG", isFull: true),
    Scene(name: "settings-empty", keys: "7"),
    Scene(name: "settings-full", keys: "7jjjjjjjj", isFull: true),
    Scene(name: "reading-marks", keys: "g2:254<Enter>j", isFull: true),
    Scene(name: "reading-marks-flow", keys: "mg2:254<Enter>j", isFull: true),
    Scene(name: "favorite-added", keys: "g2:285<Enter>f"),
    Scene(name: "note-panel", keys: "g2:255<Enter><Tab><Tab>", isFull: true),
    Scene(name: "note-new", keys: "g2:255<Enter>n"),
    Scene(
      name: "note-editor",
      keys:
        "g2:255<Enter>nCâu Ngai Vàng: đọc mỗi tối trước khi ngủ, cả nhà cùng đọc<Enter>—<Enter>xong"
    ),
    Scene(name: "note-leave", keys: "g2:255<Enter>nabc<Esc>"),
    Scene(name: "cues", keys: "'", isFull: true),
    Scene(name: "restart", keys: "g2:255<Enter>R", isFull: true),
    Scene(name: "import-offer", keys: "", dump: "~/Downloads/com.Donald.Quranvn.plist"),
    Scene(name: "import-report", keys: ":import x.plist<Enter>"),
    Scene(name: "sync-off", keys: "S"),
    Scene(name: "sync-done", keys: "g2:255<Enter>", isFull: true, sync: .done),
    Scene(name: "sync-waiting", keys: "S", isFull: true, sync: .unreachable),
    Scene(name: "sync-working", keys: "S", isFull: true, sync: .working),
    Scene(name: "sync-parked", keys: "S", isFull: true, sync: .refused),
    Scene(name: "sync-question", keys: "SD", isFull: true, sync: .asking),
    Scene(name: "sync-expired", keys: "", language: .english, isFull: true, sync: .expired),
    Scene(name: "sync-typing", keys: "g2:25", isFull: true, sync: .refused),
    Scene(name: "notes-trash", keys: "4G", isFull: true, sync: .done),
    Scene(name: "texts-offer", keys: "", texts: .offered),
    Scene(name: "texts-first", keys: "8j", texts: .bundledOnly),
    Scene(name: "texts-installed", keys: "8jj", texts: .installed),
    Scene(name: "texts-downloading", keys: "8i", texts: .downloading),
    Scene(name: "texts-meanwhile", keys: "8i1<Enter>", texts: .downloading),
    Scene(name: "texts-about", keys: "8jjo", texts: .installed),
    Scene(name: "texts-remove", keys: "8jjd", texts: .installed),
    Scene(name: "texts-damaged", keys: "8jjj", language: .english, texts: .damaged),
    Scene(name: "footnotes", keys: "g2:255<Enter>o", texts: .installed),
    Scene(name: "arabic", keys: "g2:255<Enter>a", texts: .installed),
    Scene(name: "arabic-terminal", keys: "g2:255<Enter>a", texts: .installed, arabic: .terminal),
    Scene(name: "arabic-choose", keys: "A", texts: .installed),
    Scene(name: "arabic-choose-absent", keys: "A", language: .english, arabic: .terminal),
    Scene(name: "arabic-choose-configured", keys: "A", texts: .installed, arabic: nil),
    Scene(name: "arabic-flow", keys: "g2:255<Enter>am", texts: .installed),
    Scene(name: "arabic-alone", keys: "g2:255<Enter>av", texts: .installed),
    Scene(name: "arabic-alone-flow", keys: "g2:255<Enter>avm", texts: .installed),
    Scene(name: "arabic-columns", keys: "g2:255<Enter>ac", texts: .installed),
    Scene(name: "arabic-heading", keys: "g2:1<Enter>a", texts: .installed),
    Scene(name: "arabic-absent", keys: "a", texts: .bundledOnly),
    Scene(name: "texts-compared", keys: "8jjjcg2:255<Enter>c", texts: .installed),
    Scene(name: "footnotes-none", keys: "g2:256<Enter>o", texts: .installed),
  ]

  /// The report of an import.
  private static let report = [
    "x.plist: dữ liệu của ứng dụng cũ (property list nhị phân)",
    "  yêu thích (Data › JSON): 12 mới, 3 đã có, 1 bỏ qua", "  ghi chú (Data › JSON): 9 mới",
    "  bỏ qua favoriteAyahs[4]: không có câu “2:300”", "  không rõ nghĩa, bỏ qua: AppleLanguages",
  ]

  private static func fill(_ library: Library, _ now: Int64) throws {
    let day: Int64 = 86_400_000
    let favorites = ["1:1", "2:152", "2:255", "2:286", "18:10", "36:1", "55:13", "112:1"]
    for (index, ayah) in favorites.enumerated() {
      try library.commit(
        [.setFavorite(AyahID(ayah)!, true)], at: now - Int64(index) * day * 9)
    }
    let notes = [
      ("2:255", "Câu Ngai Vàng: đọc mỗi tối.\nHọc thuộc trước Ramadan."),
      ("2:255", "Thầy giảng: Kursi là gì?"), ("18:10", "Chàng trai trong hang\nvà sự kiên nhẫn"),
      ("94:5", "“Quả thật, cùng với khó khăn là dễ dàng” — nhắc con trai khi thi \u{1B}[31mđỏ"),
    ]
    for (index, (ayah, text)) in notes.enumerated() {
      let id = try #require(UUID(uuidString: "10000000-0000-4000-8000-00000000000\(index)"))
      try library.commit(
        [.addNote(id, AyahID(ayah)!, try NoteText(text))], at: now - Int64(9 - index) * day)
    }
    for (surah, last) in [(1, 7), (2, 200), (18, 74), (36, 83), (67, 12), (112, 4)] {
      try library.commit([.setProgress(SurahNumber(surah)!, to: last)], at: now - day)
    }
    let today = Day(containing: now)
    var reading = ReadingChanges()
    for (index, ayahs) in [12, 40, 8, 0, 60, 25, 25, 3, 0, 0, 90, 7, 7, 7].enumerated() {
      reading.ayahsRead[today.advanced(by: -index)] = ayahs
    }
    reading.device = [
      DeviceKey.position: "2:201", DeviceKey.cue(1): "2:255", DeviceKey.cue(4): "36:12",
    ]
    _ = try library.save(reading, at: now)
    let trashed = try #require(UUID(uuidString: "10000000-0000-4000-8000-00000000000F"))
    try library.sync {
      try $0.addToTrash(
        Note(
          id: trashed, ayah: AyahID("94:6")!, text: NoteText("Điều đã xóa ở điện thoại"),
          createdAt: now - 90 * day, modifiedAt: now - 80 * day), at: now - 2 * day)
    }
    let plan = try #require(KhatmPlan(start: today.advanced(by: -9), days: 60, readCount: 40))
    try library.commit([.set(SettingKey.khatm.rawValue, plan.setting)], at: now)
  }

  @Test(arguments: scenes, [Size.small, .medium, .large])
  func screenMatchesTheExpectedFile(_ scene: Scene, _ size: Size) throws {
    var driver = try ReaderDriver(
      size, language: scene.language, place: scene.place, opening: scene.opening,
      isIndexed: scene.isIndexed,
      edition: scene.texts?.edition ?? .bundled,
      parallelEditions: scene.texts?.parallelEditions ?? [:],
      offersTexts: scene.texts == .offered,
      arabic: scene.arabic,
      fill: scene.isFull ? Self.fill : { _, _ in })
    driver.files = importing(report: Self.report)
    if scene.dump != nil || scene.texts == .offered { driver.find(dump: scene.dump) }
    if let sync = scene.sync { driver.sync(sync) }
    if let texts = scene.texts {
      try texts.press(scene.keys, in: &driver)
    } else {
      driver.press(scene.keys)
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Screens/\(scene.name)-\(size.columns)x\(size.rows).txt")
    let screen = "\(driver.screen)\n\n\(driver.styles)"
    if ProcessInfo.processInfo.environment["RECORD_SCREENS"] != nil {
      try Data(screen.utf8).write(to: file)
    }
    let expected = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    #expect(screen == expected)
  }

  @Test(arguments: [
    "", "<Enter>", "5khoan dung", "?", "<C-p>", "g2:300<Enter>", "2", ":t<Tab>", "3", "4", "6", "7",
    "g2:255<Enter><Tab>", "g2:255<Enter>nabc", "'",
  ])
  func everyRowFitsEverySize(keys: String) throws {
    for columns in [1, 10, 23, 24, 39, 60, 99, 100, 131] {
      for rows in [1, 3, 5, 6, 15, 16, 45] {
        var driver = try ReaderDriver(Size(rows: rows, columns: columns), fill: Self.fill)
        driver.press(keys)
        let canvas = driver.canvas
        // Text that is too long is cut at the last column, in the middle of a word. The first and
        // the last row are shortened before that and have "…" in this column.
        for row in [0, rows - 1] where columns >= 39 && !driver.model.geometry.isTooSmall {
          let text = canvas.text(row: row)
          let last = text.columns == columns ? text.last : nil
          #expect(
            last?.isLetter != true && last?.isNumber != true,
            "row \(row) of \(columns)×\(rows) after \(keys): \(text)")
        }
        #expect(canvas.text.contains { !$0.isWhitespace })
        if let cursor = canvas.cursor {
          #expect(cursor.row < rows && cursor.column < columns)
        }
      }
    }
  }
}

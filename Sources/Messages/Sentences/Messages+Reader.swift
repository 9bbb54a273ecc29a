public import Editions
public import Library
import Quran

// The full-screen reader.
extension Messages {
  public var tabSurahs: String { pick("Chương", "Surahs") }
  public var tabJuz: String { "Juz" }
  public var tabSearch: String { pick("Tìm", "Search") }
  public var continueReading: String { pick("Đọc tiếp", "Continue") }
  public var startReading: String { pick("Bắt đầu", "Start") }
  public var filter: String { pick("lọc", "filter") }
  public func otherProblems(_ count: Int) -> String {
    pick("thêm \(count) lỗi: quran-vi doctor", "\(count) more: quran-vi doctor")
  }
  public func surahsFound(_ count: Int) -> String {
    pick("\(count) chương", count == 1 ? "1 surah" : "\(count) surahs")
  }
  public var filterPrompt: String { pick("Lọc: ", "Filter: ") }
  /// - Parameters:
  ///   - clear: The name of the key that clears the filter.
  ///   - search: The name of the key that searches the text.
  public func noSurahNamed(_ text: String, clear: String, search: String) -> String {
    pick(
      "Không có chương nào khớp “\(text)”. \(search) tìm trong bản văn, \(clear) bỏ lọc.",
      "No surah matches “\(text)”. \(search) searches the text, \(clear) clears the filter.")
  }
  public var hintRead: String { pick("đọc", "read") }
  public var hintOpen: String { pick("mở", "open") }
  public var hintGoTo: String { pick("đến 2:255", "go to 2:255") }
  public var hintHelp: String { pick("trợ giúp", "help") }
  public var hintSearch: String { pick("tìm", "search") }
  public var hintSelect: String { pick("chọn", "select") }
  public var hintRun: String { pick("thực hiện", "run") }
  public var hintJumpToCue: String { pick("đến đó", "jump there") }
  public var hintSetCue: String { pick("đặt ở đây", "set here") }
  public func hintLastLeftAyah(_ ayah: String) -> String { pick("về \(ayah)", "back to \(ayah)") }
  public var hintBack: String { pick("quay lại", "back") }
  /// Returns the hint after a number was typed on the text page.
  ///
  /// - Parameters:
  ///   - goTo: The key that goes to the ayah with the number.
  ///   - repeated: Keys whose actions are repeated as often as the number says.
  ///   - screen: A key with Alt and the screen that it opens; nil if there is none.
  public func countHint(_ count: Int, goTo: String, repeated: String, screen: String?) -> String {
    pick(
      "\(count): \(goTo) câu \(count) · \(repeated) \(count) lần",
      "\(count): \(goTo) ayah \(count) · \(repeated) \(count) times")
      + (screen.map { " · \($0)" } ?? "")
  }
  public var hintNote: String { pick("ghi chú", "note") }
  public var hintFavorite: String { pick("yêu thích", "favourite") }
  /// - Parameter open: The key that opens the selected surah.
  public func lessonOpen(_ open: String) -> String {
    pick("\(open) mở chương này", "\(open) opens this surah")
  }
  /// The parameters are the keys that add a favourite and write a note.
  public func lessonAnnotate(_ favorite: String, _ note: String) -> [String] {
    [
      pick("\(favorite) ♥ yêu thích", "\(favorite) ♥ favourite"),
      pick("\(note) ✎ ghi chú", "\(note) ✎ note"),
    ]
  }
  /// The parameters are the keys that go to an ayah, search and open the help.
  public func lessonFind(_ go: String, _ search: String, _ help: String) -> [String] {
    [
      pick("\(go) đến câu", "\(go) ayah"),
      pick("\(search) tìm", "\(search) search"),
      pick("\(help) mọi phím", "\(help) all keys"),
    ]
  }
  // What follows a command's name in the list of commands: in English its argument, as in
  // `goto ayah`, in Vietnamese what it does.
  public var commandGoTo: String { pick("đến câu", "ayah") }
  public var commandImport: String { pick("nhập", "a file") }
  public var commandExport: String { pick("xuất", "to a file") }
  public var commandQuit: String { pick("thoát", "leave") }
  public var goToPrompt: String { pick("Đến: ", "Go to: ") }
  public var goToHint: String {
    pick(
      "2:255 · :255 · 36 · yasin · juz 30 · trang 604",
      "2:255 · :255 · 36 · yasin · juz 30 · page 604")
  }
  public var searchPrompt: String { pick("Tìm: ", "Search: ") }
  public var searchHint: String {
    pick(
      "Gõ chữ cần tìm, có dấu hay không dấu: khoan dung, dang, 2:255, ya sin",
      "Type words, with or without diacritics: khoan dung, dang, 2:255, ya sin")
  }
  public var nothingToSearchFor: String {
    pick(
      "Từ đứng sau dấu trừ (-) bị loại ra; hãy gõ thêm từ cần tìm.",
      "Words after - are excluded; type a word to look for as well.")
  }
  public var indexing: String { pick("đang lập chỉ mục …", "indexing …") }
  public func hits(_ count: Int) -> String {
    pick("\(count) kết quả", count == 1 ? "1 hit" : "\(count) hits")
  }
  /// Returns the numbers of hits: in the first edition those with exactly the diacritics of the
  /// query and those with others, then those in other editions and in notes.
  public func hits(_ hits: SearchHits, notes: Int = 0) -> String {
    var parts = [hitsInFirstEdition(hits)]
    let others = hits.ayahs.count - hits.firstEditionCount
    if others > 0 { parts.append(pick("\(others) ở bản khác", "\(others) in other texts")) }
    if notes > 0 { parts.append("✎ \(notes)") }
    if parts.count > 1, hits.firstEditionCount == 0 { parts.removeFirst() }
    return parts.joined(separator: " · ")
  }
  /// Returns two numbers in short form, for example `+16 ✎2`; empty if both are 0.
  ///
  /// - Parameters:
  ///   - count: The number of hits that do not have exactly the diacritics of the query, or are in
  ///     other editions.
  ///   - notes: The number of notes that were found.
  public func moreHits(_ count: Int, notes: Int) -> String {
    [count > 0 ? "+\(count)" : "", notes > 0 ? "✎\(notes)" : ""]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
  private func hitsInFirstEdition(_ hits: SearchHits) -> String {
    guard let exact = hits.exactCount, exact < hits.firstEditionCount else {
      return self.hits(hits.firstEditionCount)
    }
    let others = hits.firstEditionCount - exact
    return exact == 0
      ? pick("\(others) kết quả với dấu khác", "\(others) with other diacritics")
      : pick(
        "\(exact) kết quả, \(others) với dấu khác",
        "\(self.hits(exact)), \(others) with other diacritics")
  }
  /// - Parameter similar: A query with similar words that has hits; nil if there is none.
  public func noHits(_ text: String, similar: String?) -> String {
    let nothing = pick("Không tìm thấy “\(text)”.", "Nothing found for “\(text)”.")
    guard let similar else { return nothing }
    return nothing + " " + pick("Ý bạn là “\(similar)”?", "Did you mean “\(similar)”?")
  }
  /// - Parameters:
  ///   - others: The number of hits that the filter leaves out.
  ///   - key: The name of the key that changes the filter; nil if no key does.
  public func noHitsInFilter(_ text: String, others: Int, key: String? = nil) -> String {
    let nothing = pick(
      "Không tìm thấy “\(text)” ở đây; ngoài bộ lọc có \(hits(others)).",
      "Nothing found for “\(text)” here; \(hits(others)) outside the filter.")
    guard let key else { return nothing }
    return nothing + " " + pick("\(key) đổi bộ lọc.", "\(key) changes it.")
  }
  /// The short name, for narrow screens, of the filter that limits a search to a surah.
  public func searchedSurah(_ number: Int) -> String {
    pick("chương \(number)", "surah \(number)")
  }
  public var hintBySurah: String { pick("theo chương", "by surah") }
  public var hintHits: String { pick("từng kết quả", "each hit") }
  public func searchSuggestion(_ key: String) -> String {
    pick("\(key) để tìm như vậy.", "\(key) searches for it.")
  }
  /// Returns a sentence such as "Hit 3 of 68 in Rowwad Translation Center – n N Esc".
  ///
  /// - Parameters:
  ///   - number: The number of the hit among all hits in the same text, from 1.
  ///   - count: The number of all hits in this text.
  ///   - title: The title of the text; nil to leave it out.
  ///   - hints: The keys for moving between hits, each with or without its description.
  public func hit(_ number: Int, of count: Int, in title: String?, hints: String) -> String {
    let inTitle = title.map { pick(" trong \($0)", " in \($0)") } ?? ""
    return pick("Kết quả \(number)/\(count)", "Hit \(number) of \(count)") + "\(inTitle) – \(hints)"
  }
  /// Returns a shorter form of `hit` for narrow screens, such as
  /// `2:54 · 4/68 [vi.rwwad] – n N Esc`.
  ///
  /// - Parameters:
  ///   - ayah: The ayah that contains the hit, such as `2:54`.
  ///   - name: The title or the ID of the text; nil to leave it out.
  ///   - keys: The keys for moving between hits; nil to leave them out.
  public func shortHit(
    _ number: Int, of count: Int, at ayah: String, in name: String?, keys: String?
  ) -> String {
    "\(ayah) · \(number)/\(count)" + (name.map { " [\($0)]" } ?? "")
      + (keys.map { " – \($0)" } ?? "")
  }
  /// The hints for moving between the hits of a search and for removing their highlighting.
  ///
  /// - Parameters:
  ///   - next: The name of the key that moves to the next hit.
  ///   - previous: The name of the key that moves to the previous hit.
  ///   - clear: The name of the key that removes the highlighting.
  public func hitHints(next: String, previous: String, clear: String) -> String {
    pick(
      "\(next) sau · \(previous) trước · \(clear) bỏ tô sáng",
      "\(next) next · \(previous) previous · \(clear) clears highlighting")
  }
  public func noHighlightedHits(_ key: String) -> String {
    pick(
      "Không có kết quả nào được tô sáng; \(key) để tìm.",
      "No hits are highlighted; \(key) searches.")
  }
  /// - Parameter help: The key that lists the keys; nil if none does.
  public func unboundKey(_ key: String, help: String?) -> String {
    pick("\(key): phím này chưa gán lệnh", "\(key): this key does nothing")
      + (help.map { pick("; \($0) xem phím", "; \($0) lists the keys") } ?? "")
  }
  public var openAyahFirst: String { pick("Hãy mở một câu trước.", "Open an ayah first.") }
  public var noClipboard: String {
    pick(
      "Không chép được: terminal này không có khay nhớ tạm.",
      "Not copied: this terminal has no clipboard.")
  }
  public func copySource(_ ayah: String, surah: String, edition: String) -> String {
    "– Quran \(ayah) (\(surah)), \(edition)"
  }
  public var paletteTitle: String { pick("Mọi thao tác", "Every action") }
  public var menuTitle: String { pick("Câu này", "This ayah") }
  public var helpTitle: String { pick("Trợ giúp", "Help") }
  /// Explains the signs beside the text.
  public var helpSigns: String {
    pick(
      "♥ yêu thích · ✎ ghi chú · ✎… viết dở · [1] chú thích",
      "♥ favourite · ✎ note · ✎… unfinished · [1] footnote") + " · "
      + Sajda.allCases.map(sajda).joined(separator: " · ")
  }
  /// Explains words of the status line. `browse` is the key that switches browsing on and off.
  public func helpStatusLine(browse: String) -> String {
    pick(
      "“\(readingPlace("2:45"))”, “\(elsewhere)”: con trỏ đang ở câu khác; sẽ đọc tiếp từ 2:45 · "
        + "“xem lướt”: câu đi qua không tính là đã đọc, "
        + "\(browse) bật/tắt",
      "“\(readingPlace("2:45"))”, “\(elsewhere)”: not at your reading place, which is 2:45 · "
        + "“browsing”: nothing counts as read, "
        + "\(browse) turns it on or off")
  }
  public var helpMouse: String {
    pick(
      "Chuột: lăn để cuộn, bấm để chọn, bấm đúp để mở hay yêu thích; giữ Shift và kéo để chọn chữ.",
      "Mouse: wheel scrolls, click selects, double click opens or favourites; Shift-drag selects text."
    )
  }
  /// The parameters `deleteAll` and `deleteWord` are names of keys.
  public func helpPrompts(deleteAll: String, deleteWord: String) -> String {
    pick(
      "Trong ô nhập: mọi phím khác là chữ; \(deleteAll) xóa hết, \(deleteWord) xóa một từ.",
      "In a prompt every other key is text; \(deleteAll) clears it, \(deleteWord) deletes a word.")
  }
  /// The parameters `key` and `other` are names of keys.
  public func helpClose(_ key: String, _ other: String) -> String {
    pick("\(key) hoặc \(other) để đóng", "\(key) or \(other) closes")
  }
  public var noActionMatches: String { pick("Không có thao tác nào khớp.", "No action matches.") }
  public func tooSmall(columns: Int, rows: Int) -> String {
    pick("Cần ít nhất \(columns)×\(rows)", "Needs \(columns)×\(rows)")
  }
  public var layoutFlow: String { pick("liền mạch", "flow") }
  public var layoutVerse: String { pick("từng câu", "verse by verse") }
  public func layout(_ layout: PageLayout) -> String {
    layout == .flow ? layoutFlow : layoutVerse
  }
  public func copied(_ what: String) -> String { pick("Đã chép \(what)", "Copied \(what)") }
  public var endOfBook: String { pick("Đã hết Kinh Quran", "The end of the Quran") }
  public var startOfBook: String { pick("Đã ở đầu Kinh Quran", "The start of the Quran") }
  /// - Parameter complete: The name of the key that completes a line.
  public func unknownCommand(_ text: String, complete: String) -> String {
    pick(
      "Không có lệnh “\(text)”; \(complete) để xem các lệnh.",
      "No command “\(text)”; \(complete) lists the commands.")
  }
  public var goToNeedsAyah: String {
    pick("Đến câu nào? Ví dụ: :goto 2:255", "Go to which ayah? For example: :goto 2:255")
  }
  /// - Parameter command: A command that takes no argument, such as `quit`.
  public func unexpectedArgument(_ argument: String, of command: String) -> String {
    pick(
      "Không hiểu “\(argument)”; chỉ gõ :\(command).",
      "“\(argument)” is not understood; type only :\(command).")
  }
  public func choose(_ choices: String) -> String {
    pick("Hãy chọn: \(choices).", "Allowed: \(choices).")
  }
  public func theme(_ theme: ThemeName) -> String {
    switch theme {
    case .light: pick("sáng", "light")
    case .dark: pick("tối", "dark")
    case .sepia: pick("giấy cũ", "sepia")
    case .oasis: pick("ốc đảo", "oasis")
    case .contrast: pick("tương phản cao", "high contrast")
    case .terminal: pick("màu của terminal", "terminal's own")
    }
  }
}

// The names of the actions in the help, the command palette and the manual page.
extension Messages {
  public var groupMove: String { pick("Di chuyển", "Moving") }
  public var groupGo: String { pick("Đi đến và tìm", "Going and searching") }
  public var groupShow: String { pick("Hiển thị", "Showing") }
  public var groupProgram: String { pick("Chương trình", "The program") }

  public var actDown: String { pick("câu sau, dòng sau", "next ayah or row") }
  public var actUp: String { pick("câu trước, dòng trước", "previous ayah or row") }
  public var actHalfDown: String { pick("xuống nửa trang", "half a page down") }
  public var actHalfUp: String { pick("lên nửa trang", "half a page up") }
  public var actPageDown: String { pick("trang sau", "next page") }
  public var actPageUp: String { pick("trang trước", "previous page") }
  public var actLast: String { pick("câu cuối của chương", "last ayah of the surah") }
  public var actFirst: String { pick("câu đầu của chương", "first ayah of the surah") }
  public var actBack: String { pick("về danh sách", "back to the list") }
  public var actOpen: String { pick("mở", "open") }
  public var actNextSurah: String { pick("chương sau", "next surah") }
  public var actPreviousSurah: String { pick("chương trước", "previous surah") }
  public var actGoTo: String { pick("đến câu, chương, juz, trang", "go to ayah, surah, juz, page") }
  public var actSearch: String {
    pick("tìm; ở danh sách chương: lọc", "search; among surahs: filter")
  }
  public var actNextHit: String { pick("kết quả sau", "next hit") }
  public var actPreviousHit: String { pick("kết quả trước", "previous hit") }
  public var actArabic: String { pick("nguyên văn Ả Rập bật/tắt", "the Arabic on/off") }
  public var actTranslation: String { pick("bản dịch bật/tắt", "the translation on/off") }
  public var actColumns: String {
    pick("các bản văn cạnh nhau/dưới nhau", "texts side by side/below each other")
  }
  public var actArabicDisplay: String {
    pick("chọn cách hiện chữ Ả Rập ở terminal này", "choose how Arabic is shown in this terminal")
  }
  public var actLayout: String { pick("liền mạch / từng câu", "flow / verse layout") }
  public var actTheme: String { pick("bộ màu kế tiếp", "next theme") }
  public var actCopy: String { pick("chép câu kèm nguồn", "copy the ayah with its reference") }
  public var actCopyLink: String { pick("chép liên kết của câu", "copy the ayah's link") }
  public var actPalette: String { pick("mọi thao tác theo tên", "every action by name") }
  public var actCommand: String { pick("dòng lệnh", "command line") }
  public var actSurahs: String { pick("danh sách chương", "the surahs") }
  public var actJuz: String { pick("danh sách juz", "the juz") }
  public var actSearchScreen: String { pick("màn hình tìm", "the search screen") }
  public var actHelp: String { pick("trợ giúp", "help") }
  public var actEscape: String { pick("hủy, bỏ tô sáng", "cancel, clear highlighting") }
  public var actQuit: String { pick("đóng, thoát", "close, quit") }
  public var actInterrupt: String {
    pick("thoát ngay, lưu vị trí đọc", "quit at once, keeping the place")
  }
  public var actSuspend: String { pick("tạm dừng", "suspend") }
  public var actRedraw: String { pick("vẽ lại", "redraw") }
}

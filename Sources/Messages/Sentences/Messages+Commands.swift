// The output of the commands, and the help.
extension Messages {
  public var emptySearch: String {
    pick(
      "Chưa có chữ nào để tìm; ví dụ: quran-vi search 'khoan dung'",
      "Nothing to search for; for example: quran-vi search 'khoan dung'")
  }
  public func hiddenHits(_ count: Int) -> String {
    pick(
      "… và \(count) kết quả nữa (--limit để xem thêm)",
      "… and \(count) more (--limit shows more)")
  }
  public func limitIsInvalid(_ value: String) -> String {
    pick(
      "--limit không nhận “\(value)”; hãy cho một số từ 1.",
      "--limit cannot be “\(value)”; give a number from 1.")
  }
  public func noSuchCommand(_ name: String, _ commands: [String]) -> String {
    let list = commands.joined(separator: ", ")
    return pick(
      "Không có lệnh “\(name)”; các lệnh: \(list).",
      "There is no command “\(name)”; the commands: \(list).")
  }
  public func noSuchCommandOrReference(_ word: String, _ commands: [String]) -> String {
    let list = commands.joined(separator: ", ")
    return pick(
      "“\(word)” không phải là lệnh (\(list)), cũng không phải là chỗ trong Kinh Quran; ví dụ: 2:255.",
      "“\(word)” is neither a command (\(list)) nor a place in the Quran; for example: 2:255.")
  }
  public var seeHelp: String { pick("Xem: quran-vi --help", "See: quran-vi --help") }
  public func notTogether(_ one: String, _ other: String) -> String {
    pick("\(one) và \(other) không đi cùng nhau.", "\(one) and \(other) exclude each other.")
  }
  /// - Parameter code: The value of `errno`.
  public func notWritten(_ code: Int32) -> String {
    pick(
      "Không ghi ra được (\(systemError(code))).",
      "The output could not be written (\(systemError(code))).")
  }
  public var noHome: String {
    pick(
      "không có thư mục nhà (HOME), nên không lưu gì",
      "there is no home directory (HOME), so nothing is kept")
  }
  public var noTerminal: String {
    pick(
      "Không có terminal để đọc phím; dùng: quran-vi read 2:255, hoặc quran-vi --help",
      "There is no terminal to read keys from; use: quran-vi read 2:255, or quran-vi --help")
  }
  public var noUTF8Locale: String {
    pick(
      "Máy này không có locale UTF-8 (ví dụ C.UTF-8) nên không vẽ được màn hình.",
      "No UTF-8 locale, such as C.UTF-8, is installed, so no screen can be drawn.")
  }
  public func cannotDraw(term: String) -> String {
    pick(
      "Terminal “\(term)” (TERM) không vẽ được màn hình nên đọc từng dòng.",
      "The terminal “\(term)” (TERM) cannot show the screen, so the reader works line by line.")
  }
  public func usageSummary(_ version: String) -> String {
    pick(
      """
      Quran-vi \(version) – đọc Kinh Quran tiếng Việt trong terminal.
      Đầu ra không phải terminal, nên không vẽ màn hình. Thử:
        quran-vi read 2:255          in một câu
        quran-vi read 36 "juz 30"    in chương 36 và juz 30
        quran-vi search 'khoan dung' tìm
        quran-vi --help              mọi lệnh
      """,
      """
      Quran-vi \(version) – reads the Quran in Vietnamese in a terminal.
      Output is not a terminal, so no screen is drawn. Try:
        quran-vi read 2:255          print an ayah
        quran-vi read 36 "juz 30"    print surah 36 and juz 30
        quran-vi search 'khoan dung' search
        quran-vi --help              every command
      """)
  }
}

// MARK: The plain mode

extension Messages {
  public var plainOn: String {
    pick(
      "Chế độ thuần văn bản đang bật: từng dòng, không vẽ màn hình.",
      "Plain mode is on: line by line, no screen is drawn.")
  }
  public var plainStart: String {
    pick("Enter: câu sau. ?: trợ giúp. q: thoát.", "Enter: next ayah. ?: help. q: quit.")
  }
  /// The commands, a line for each group.
  public var plainHelp: [String] {
    [
      pick(
        "Đọc: Enter câu sau, b câu trước, o chú thích, w đang ở đâu.",
        "Reading: Enter next ayah, b previous ayah, o footnotes, w where am I."),
      pick(
        "Đi đến: 2:255, 36, yasin, juz 30; l danh sách chương; số để chọn, + xem tiếp.",
        "Going: 2:255, 36, yasin, juz 30; l the surahs; a number chooses, + lists more."),
      pick(
        "Tìm: /chữ trong bản văn, n/chữ trong ghi chú.",
        "Searching: /words in the text, n/words in the notes."),
      pick(
        "Yêu thích: f thêm hoặc bỏ, fl danh sách.", "Favourites: f on or off, fl lists them."),
      pick(
        "Ghi chú: n xem, n chữ viết mới, e chữ sửa, d xóa; e 2 chữ, d 2: ghi chú thứ hai.",
        "Notes: n reads, n words writes, e words edits, d deletes; e 2 words, d 2: the second note."
      ),
      pick(
        "Tiến độ: p xem, r đã đọc đến đây.", "Progress: p shows it, r read up to here."),
      pick(
        "Khác: u hoàn tác, import tệp nhập dữ liệu, q thoát.",
        "More: u undoes, import file brings data, q quits."),
    ]
  }
  /// - Parameter command: `e` or `d`.
  public func plainWhichNote(_ command: String, _ count: Int) -> String {
    count == 1
      ? pick(
        "Câu này có một ghi chú; chỉ gõ \(command).",
        "This ayah has one note; type only \(command).")
      : pick(
        "Câu này có \(count) ghi chú; gõ \(command) và số từ 1 đến \(count).",
        "This ayah has \(count) notes; type \(command) and a number from 1 to \(count).")
  }
  public func plainWhichFoundNote(_ command: String, _ count: Int) -> String {
    pick(
      "Gõ \(command) và số của ghi chú trong danh sách, từ 1 đến \(count).",
      "Type \(command) and the number of a note in the list, from 1 to \(count).")
  }
  /// Said after the notes of an ayah were printed, which the user has not read yet.
  public func plainReadFirst(_ command: String) -> String {
    pick(
      "Ghi chú hiện như trên; gõ lại lệnh \(command) nếu vẫn muốn.",
      "These are the notes now; type the command \(command) again if you still want to.")
  }
  public func plainNoteChanged(_ ayah: String) -> String {
    pick(
      "Ghi chú \(ayah) đã thay đổi; chưa làm gì. Tìm lại để đọc.",
      "The note of \(ayah) has changed; nothing was done. Search again to read it.")
  }
  public func plainNoteDeleted(_ ayah: String, _ text: String, _ undo: String) -> String {
    pick(
      "Đã xóa ghi chú \(ayah) “\(text)” – \(undo) để hoàn tác",
      "Deleted the note of \(ayah) “\(text)” – \(undo) undoes")
  }
  /// A terminal passes at most 4095 bytes of a line.
  public var lineWasCut: String {
    pick(
      "Dòng dài quá, terminal đã cắt mất phần cuối; chưa lưu gì. Viết vào tệp rồi: quran-vi note add "
        + "2:255 - < tep",
      "The line is too long, and the terminal cut off its end; nothing was saved. Write it to a file, "
        + "then: quran-vi note add 2:255 - < file")
  }
  /// - Parameter command: What the new text follows, such as `e 2`.
  public func plainNewText(_ command: String) -> String {
    pick("Gõ chữ mới sau \(command).", "Type the new text after \(command).")
  }
  public func plainContinue(_ ayah: String) -> String {
    pick("Đang đọc đến \(ayah); Enter để đọc tiếp.", "You were at \(ayah); Enter continues.")
  }
  public func plainChoose(_ count: Int, hasMore: Bool) -> String {
    pick(
      "Gõ 1–\(count) để mở\(hasMore ? ", + để xem tiếp" : "").",
      "Type 1–\(count) to open one\(hasMore ? ", + for more" : "").")
  }
  public var plainNoMore: String { pick("Không còn gì để xem tiếp.", "There is no more to list.") }
  /// - Parameter command: `/` or `n/`.
  public func plainEmptySearch(_ command: String) -> String {
    pick(
      "Gõ chữ sau \(command); ví dụ: \(command)khoan dung",
      "Type words after \(command); for example: \(command)khoan dung")
  }
  public func plainNoChoice(_ count: Int) -> String {
    pick("Chọn từ 1 đến \(count).", "Choose from 1 to \(count).")
  }
}

// MARK: The doctor

extension Messages {
  public var doctorVersion: String { pick("Phiên bản", "Version") }
  public var doctorLanguage: String { pick("Ngôn ngữ", "Language") }
  public var doctorConfiguration: String { pick("Cấu hình", "Configuration") }
  public func doctorText(_ id: String) -> String { pick("Bản văn \(id)", "Text \(id)") }
  public func doctorDamaged(_ ayah: String) -> String {
    pick("hỏng ở câu \(ayah); hãy cài lại", "damaged at \(ayah); install again")
  }
  public var doctorLocale: String { "Locale" }
  public var doctorNotUTF8: String {
    pick(
      "không phải UTF-8; chữ Việt có thể hiện sai nếu terminal cũng vậy",
      "not UTF-8; Vietnamese may show wrongly if the terminal is not either")
  }
  public var doctorTerminal: String { "Terminal" }
  public func doctorColors(_ count: Int) -> String {
    count == 0 ? pick("không màu", "no colours") : pick("\(count) màu", "\(count) colours")
  }
  public var doctorPlainOnly: String {
    pick(
      "không vẽ được màn hình; dùng chế độ thuần văn bản",
      "no screen can be drawn; plain mode is used")
  }
  public var doctorArabic: String { pick("Tiếng Ả Rập", "Arabic") }
  public var doctorArabicSamples: String {
    pick(
      "Dòng nào đọc được từ phải sang trái, chữ nối liền? Chọn trong phần cài đặt của trình đọc,"
        + " hoặc ghi arabic = \"terminal\" hay \"shaped\" vào config.toml.",
      "Which line reads from right to left, with joined letters? Choose it in the settings of the"
        + " reader, or write arabic = \"terminal\" or \"shaped\" to config.toml.")
  }
  public var doctorClipboard: String { pick("Khay nhớ tạm", "Clipboard") }
  public var doctorTerminalClipboard: String {
    pick("qua terminal (OSC 52)", "by the terminal (OSC 52)")
  }
  public var doctorData: String { pick("Nơi giữ thư viện", "Where your library is kept") }
  public var doctorLibrary: String { pick("Thư viện", "Library") }
  public var doctorReadOnly: String { pick("không ghi được", "not writable") }
}

// MARK: --help and the manual

extension Messages {
  public var helpProgram: String {
    pick("Đọc Kinh Quran tiếng Việt trong terminal.", "Read the Quran in Vietnamese in a terminal.")
  }
  public var helpUsage: String {
    """
    quran-vi [<\(helpReferenceName)> ...] [--plain] [--no-mouse] [--library <\(helpFileName)>] [--lang <vi|en>]
    quran-vi --paths
    quran-vi <subcommand> ...
    """
  }
  public var helpExamples: String {
    pick(
      """
        quran-vi                      mở trình đọc
        quran-vi 2:255                mở tại đó; cả: 36, yasin, 'juz 30'
        quran-vi read 2:255-257 36    in ra; --plain, --json
        quran-vi daily                câu của hôm nay; random: câu bất kỳ
        quran-vi search 'khoan dung'  tìm; --in, --notes, --counts, --json
        quran-vi favorite add 2:255   thêm vào yêu thích; list, remove
        quran-vi note add 2:255       viết ghi chú; -m, list, edit, remove
        quran-vi progress             đã đọc đến đâu; set, reset
        quran-vi export -o tep.json   xuất thư viện
        quran-vi import tep           nhập bản xuất, hoặc dữ liệu của ứng dụng cũ
        quran-vi text install         cài bản dịch được công nhận; list, update
        quran-vi doctor               kiểm tra; --json
      """,
      """
        quran-vi                      open the reader
        quran-vi 2:255                open it there; also 36, yasin, 'juz 30'
        quran-vi read 2:255-257 36    print; --plain, --json
        quran-vi daily                the ayah of the day; random: any ayah
        quran-vi search 'khoan dung'  search; --in, --notes, --counts, --json
        quran-vi favorite add 2:255   mark a favourite; list, remove
        quran-vi note add 2:255       write a note; -m, list, edit, remove
        quran-vi progress             how far the book is read; set, reset
        quran-vi export -o file.json  write the library
        quran-vi import file          read such a file, or what the older app kept
        quran-vi text install         install recognised translations; list, update
        quran-vi doctor               look for what is wrong; --json
      """)
  }
  public var helpReferenceName: String { pick("chỗ", "reference") }
  public var helpTextName: String { pick("chữ", "text") }
  public var helpOpen: String { pick("Mở trình đọc.", "Open the reader.") }
  public var helpOpenReference: String {
    pick(
      "Chỗ cần mở: 2:255, 36, yasin, juz 30, trang 604, quranvn://surah/2/ayah/255.",
      "Where to open: 2:255, 36, yasin, juz 30, page 604, quranvn://surah/2/ayah/255.")
  }
  public var helpRead: String { pick("In các câu.", "Print ayahs.") }
  public var helpReadReference: String {
    pick(
      "Các câu cần in: 2:255-257, 36, 1:1-114:6, \"juz 30\".",
      "What to print: 2:255-257, 36, 1:1-114:6, \"juz 30\".")
  }
  public var helpReadPlain: String {
    pick("Chỉ in văn bản, mỗi câu một dòng.", "Print the text only, one ayah a line.")
  }
  public var helpSearch: String {
    pick("Tìm trong các bản văn và ghi chú.", "Search the texts and the notes.")
  }
  public var helpSearchText: String {
    pick("Chữ cần tìm, có dấu hay không dấu.", "Words to find, with or without diacritics.")
  }
  public var helpSearchIn: String {
    pick("Chỉ tìm trong: 2, juz 30, 2:1-20.", "Search only in: 2, juz 30, 2:1-20.")
  }
  public var helpSearchFavorites: String {
    pick("Chỉ tìm trong các câu yêu thích.", "Search only the favourites.")
  }
  public var helpSearchNotes: String { pick("Chỉ tìm trong ghi chú.", "Search only the notes.") }
  public var helpSearchCounts: String {
    pick("In số kết quả của mỗi chương.", "Print the number of hits in each surah.")
  }
  public var helpSearchEdition: String {
    pick(
      "Chỉ tìm trong bản này; có thể nhiều bản: a,b.",
      "Search only this text; several as a,b.")
  }
  public var helpEditions: String {
    pick("Mã của bản văn; nhiều bản: a,b.", "The ID of the text; several as a,b.")
  }
  public var helpDaily: String { pick("In câu của hôm nay.", "Print the ayah of the day.") }
  public var helpRandom: String { pick("In một câu bất kỳ.", "Print an ayah at random.") }
  public var helpRandomReference: String {
    pick("Chọn trong các câu này: 2, \"juz 30\".", "Choose from these: 2, \"juz 30\".")
  }
  public var helpLimit: String { pick("Số kết quả in ra.", "How many hits to print.") }
  public var helpDoctor: String {
    pick(
      "Kiểm tra bản văn, terminal và các thư mục.",
      "Check the text, the terminal and the directories.")
  }
  public var helpJSON: String { pick("In JSON.", "Print JSON.") }
  public var helpLanguage: String {
    pick("Ngôn ngữ giao diện: vi hoặc en.", "Language of the program: vi or en.")
  }
  public var helpPlain: String {
    pick("Đọc từng dòng, cho trình đọc màn hình.", "Read line by line, for screen readers.")
  }
  public var helpPaths: String {
    pick("In các thư mục được dùng.", "Print the directories in use.")
  }
  public var helpMouseOff: String { pick("Không dùng chuột.", "Leave the mouse to the terminal.") }
}

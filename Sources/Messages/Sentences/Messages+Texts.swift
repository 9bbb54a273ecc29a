public import Library

// Texts of the Quran: the commands for them, and their screen.
extension Messages {
  // MARK: Choosing

  public func noSuchEdition(_ id: String, _ ids: String) -> String {
    pick(
      "Không có bản “\(id)”; đang có: \(ids).", "There is no text “\(id)”; there are: \(ids).")
  }
  public var noArabicText: String {
    pick(
      "Chưa có nguyên văn tiếng Ả Rập; cài bằng: quran-vi text install",
      "The Arabic text is not installed; install it with: quran-vi text install")
  }
  public var noFootnotes: String {
    pick("Câu này không có chú thích.", "This ayah has no footnotes.")
  }
  public var marksWithoutFootnotes: String {
    pick(
      "Bản này có dấu [1] nhưng không kèm chú thích; bản cài từ QuranEnc.com thì có.",
      "This text has marks such as [1], but came without its footnotes; installed from"
        + " QuranEnc.com it has them.")
  }

  // MARK: Results of commands

  /// - Parameter count: A size in bytes.
  public func fileSize(_ count: Int) -> String { "\((count + 1023) / 1024) KiB" }
  /// - Parameter credit: The title, publisher and version, as in the following functions.
  public func textInstalled(_ id: String, _ credit: String) -> String {
    pick("Đã cài \(id): \(credit)", "Installed \(id): \(credit)")
  }
  public func textUpdated(_ id: String, _ credit: String, previous: String) -> String {
    let before = previous.isEmpty ? "" : pick(" (trước đó \(previous))", " (before: \(previous))")
    return pick("Đã thay \(id): \(credit)\(before)", "Replaced \(id): \(credit)\(before)")
  }
  public func textIsCurrent(_ id: String, _ credit: String) -> String {
    pick("\(id) đã là bản mới nhất: \(credit)", "\(id) is the latest version: \(credit)")
  }
  public func textKept(_ id: String, _ credit: String) -> String {
    pick(
      "Giữ nguyên \(id) đang có (\(credit)) vì tệp này không có chú thích; dùng --id để cài thêm.",
      "The installed \(id) (\(credit)) stays, as this file has no footnotes; --id installs it beside"
        + " that.")
  }
  public func textChosen(_ title: String) -> String {
    pick("Từ nay đọc: \(title)", "Now reading: \(title)")
  }
  public func textCanBeUsed(_ id: String) -> String {
    pick("Để đọc bản này: quran-vi text use \(id)", "To read it: quran-vi text use \(id)")
  }
  /// - Parameter current: The title of the current edition.
  public func textRemoved(_ id: String, reading current: String) -> String {
    pick("Đã gỡ \(id). Đang đọc: \(current)", "Removed \(id). Now reading: \(current)")
  }
  public var noTextToUpdate: String {
    pick(
      "Chưa có bản nào cập nhật được từ QuranEnc.com; cài bằng: quran-vi text install",
      "No text that QuranEnc.com updates is installed; install with: quran-vi text install")
  }

  // MARK: The reader

  public var tabTexts: String { pick("Bản văn", "Texts") }
  public var groupTexts: String { pick("Trong danh sách bản văn", "In the list of texts") }
  public var actFootnotes: String { pick("chú thích của câu này", "the footnotes of this ayah") }
  public var actTexts: String { pick("các bản văn", "the texts") }
  public var actUseText: String { pick("đọc bản đang chọn", "read the selected text") }
  public var actInstallText: String {
    pick("cài bản dịch được công nhận", "install recognised translations")
  }
  public var actUpdateTexts: String { pick("cập nhật các bản văn", "update the texts") }
  public var actRemoveText: String {
    pick("gỡ bản đang chọn; dừng tải", "remove the selected text; stop a download")
  }
  public var actCompareText: String {
    pick("đọc kèm bản đang chọn", "compare with the selected text")
  }
  public var actAboutText: String {
    pick("nguồn gốc của bản đang chọn", "where the selected text comes from")
  }
  public var hintInstall: String { pick("cài", "install") }
  public var hintAbout: String { pick("nguồn gốc", "about") }
  public var hintRemove: String { pick("gỡ", "remove") }
  public var hintStop: String { pick("dừng tải", "stop") }
  public func textCount(_ count: Int) -> String {
    pick("\(count) bản văn", count == 1 ? "1 text" : "\(count) texts")
  }
  public var textNotInstalledShort: String { pick("chưa cài", "not installed") }
  public var textDamagedShort: String { pick("hỏng", "damaged") }
  public var downloading: String { pick("Đang tải …", "Downloading …") }
  public var aboutTextTitle: String { pick("Nguồn gốc bản văn", "About this text") }
  public func footnotesTitle(_ ayah: String) -> String {
    pick("Chú thích · \(ayah)", "Footnotes · \(ayah)")
  }
  /// - Parameters:
  ///   - texts: The name of the key that opens the screen of texts.
  ///   - install: The name of the key that installs a text on that screen.
  public func textsOffer(_ texts: String, _ install: String) -> String {
    pick(
      "Bản kèm theo chưa thẩm định; \(texts) rồi \(install): cài bản dịch được công nhận",
      "Bundled text not reviewed by scholars; \(texts), then \(install): recognised translations")
  }
  public func marksWithoutFootnotesHere(_ texts: String, _ install: String) -> String {
    pick(
      "Bản này có dấu [1] nhưng không kèm chú thích; \(texts) rồi \(install) để cài từ QuranEnc.com.",
      "This text has marks such as [1], but came without its footnotes; \(texts), then \(install),"
        + " installs it from QuranEnc.com.")
  }
  public func textIsNotInstalled(_ install: String) -> String {
    pick(
      "Bản này chưa cài; \(install) để cài", "This text is not installed; \(install) installs it")
  }
  public func textsAreInstalled(_ update: String) -> String {
    pick(
      "Đã có đủ các bản dịch được công nhận; \(update) để cập nhật",
      "All recognised translations are installed; \(update) updates them")
  }
  public func noTextFromQuranEnc(_ install: String) -> String {
    pick(
      "Chưa có bản nào cập nhật được từ QuranEnc.com; \(install) để cài",
      "No text that QuranEnc.com updates is installed; \(install) installs some")
  }
  public func downloadIsRunning(stop: String) -> String {
    pick("Đang tải; \(stop) để dừng", "A download is running; \(stop) stops it")
  }
  public var stoppingDownload: String { pick("Đang dừng tải …", "Stopping the download …") }
  public func installingFile(_ path: String) -> String {
    pick("Đang cài \(path) …", "Installing \(path) …")
  }
  /// - Parameters:
  ///   - installed: The IDs of texts that are new; empty if there are none.
  ///   - replaced: The IDs of texts that were replaced.
  public func textsSummary(installed: String, replaced: String) -> String {
    var parts: [String] = []
    if !installed.isEmpty { parts.append(pick("Đã cài \(installed)", "Installed \(installed)")) }
    if !replaced.isEmpty { parts.append(pick("Đã thay \(replaced)", "Replaced \(replaced)")) }
    return parts.isEmpty
      ? pick("Mọi bản đều đã mới nhất", "All texts are the latest versions")
      : parts.joined(separator: ". ")
  }
  public func askRemoveText(_ title: String) -> String {
    pick("Gỡ “\(title)” khỏi máy này?", "Remove “\(title)” from this machine?")
  }

  // MARK: How Arabic is shown

  public func name(of mode: ArabicMode) -> String {
    switch mode {
    case .terminal: pick("terminal tự sắp và nối chữ", "ordered and joined by the terminal")
    case .shaped: pick("sắp và nối chữ sẵn", "ordered and joined by this program")
    case .off: pick("không hiện", "not shown")
    }
  }
  /// Returns how Arabic is shown, and why.
  public func explain(_ setting: ArabicSetting) -> String {
    let reason =
      switch setting.reason {
      case .configured: pick("theo tệp cấu hình", "set in the configuration")
      case .chosen: pick("đã chọn cho terminal này", "chosen for this terminal")
      case .knownToReorder:
        pick("nhận ra terminal này", "this terminal is known to do it")
      case .notKnownToReorder: pick("mặc định", "the default")
      }
    return "\(name(of: setting.mode)) (\(reason))"
  }
  public func arabicIsConfigured(_ setting: ArabicSetting) -> String {
    let line = "arabic = \"\(setting.mode.rawValue)\""
    return pick(
      "Tệp cấu hình quyết định: \(line); bỏ dòng ấy thì chọn được ở đây.",
      "The configuration decides: \(line); without that line it can be chosen here.")
  }
  public var arabicDisplayTitle: String {
    pick("Chữ Ả Rập ở terminal này", "Arabic in this terminal")
  }
  public var arabicDisplayQuestion: String {
    pick(
      "Dòng nào đọc đúng: từ phải sang trái, chữ nối liền?",
      "Which line looks correct: from right to left, with joined letters?")
  }
  /// - Parameters:
  ///   - keys: The names of the keys that choose.
  ///   - close: The name of the key that leaves the choice as it is.
  public func arabicDisplayHint(keys: String, close: String) -> String {
    pick("\(keys) chọn   \(close) giữ nguyên", "\(keys) choose   \(close) leaves it as it is")
  }
  /// - Parameter choose: The key that opens the page for choosing how Arabic is shown.
  public func arabicDisplayOffer(_ choose: String) -> String {
    pick(
      "Hiện nguyên văn Ả Rập; nếu chữ rời hay ngược, \(choose): chọn cách hiện",
      "The Arabic is shown; if its letters are apart or backwards, \(choose) chooses how")
  }

  // MARK: Texts beside each other

  public var arabicShown: String { pick("Hiện nguyên văn Ả Rập", "The Arabic is shown") }
  public var arabicHidden: String { pick("Ẩn nguyên văn Ả Rập", "The Arabic is hidden") }
  /// - Parameter choose: The key that opens the page for choosing how Arabic is shown.
  public func arabicIsOff(_ setting: ArabicSetting, choose: String) -> String {
    setting.reason == .configured
      ? pick(
        "Tiếng Ả Rập đã tắt trong tệp cấu hình: arabic = \"off\"",
        "Arabic is off in the configuration: arabic = \"off\"")
      : pick(
        "Tiếng Ả Rập đã tắt ở terminal này; \(choose): chọn cách hiện",
        "Arabic is off in this terminal; \(choose) chooses how it is shown")
  }
  public var translationShown: String { pick("Hiện bản dịch", "The translation is shown") }
  public var translationHidden: String { pick("Ẩn bản dịch", "The translation is hidden") }
  public var textsSideBySide: String { pick("Các bản văn cạnh nhau", "Texts side by side") }
  public var textsStacked: String { pick("Các bản văn dưới nhau", "Texts below each other") }
  public var noRoomForColumns: String {
    pick(
      "Các bản văn cạnh nhau khi cửa sổ đủ rộng", "Texts side by side, as soon as there is room")
  }
  public func onlyTextShown(arabic: String) -> String {
    pick(
      "Đây là bản duy nhất trên trang; \(arabic): hiện nguyên văn Ả Rập",
      "This is the only text on the page; \(arabic) shows the Arabic")
  }
  /// - Parameters:
  ///   - arabic: The name of the key that shows the Arabic.
  ///   - texts: The name of the key that opens the screen of texts.
  ///   - compare: The name of the key that chooses a text on that screen.
  public func nothingToCompare(arabic: String, texts: String, compare: String) -> String {
    pick(
      "Trang chỉ có một bản; \(arabic): hiện nguyên văn Ả Rập; \(texts) rồi \(compare): đọc kèm bản"
        + " khác",
      "There is one text on the page; \(arabic) shows the Arabic; \(texts), then \(compare),"
        + " compares with another")
  }
  public func noArabicTextHere(_ texts: String, _ install: String) -> String {
    pick(
      "Chưa có nguyên văn Ả Rập; \(texts) rồi \(install): cài một bản dịch, nguyên văn đi kèm",
      "The Arabic is not installed; \(texts), then \(install), installs it with a translation")
  }
  public var textCannotBeRead: String {
    pick("Không đọc được bản này", "This text cannot be read")
  }
  /// Says that an edition that was shown beside the current one cannot be read.
  ///
  /// - Parameter id: The ID of the edition; nil for the Arabic.
  public func shownTextCannotBeRead(_ id: String?, texts: String) -> String {
    let vietnamese = id.map { "bản “\($0)”" } ?? "nguyên văn Ả Rập"
    let english = id.map { "the text “\($0)”" } ?? "the Arabic"
    return pick(
      "Không đọc được \(vietnamese) từng hiện ở đây; \(texts): các bản trên máy",
      "Cannot read \(english) that was shown here; \(texts): the texts on this machine")
  }
  public var textIsReadAlready: String {
    pick("Bản này đang được đọc", "You are reading this text already")
  }
  public func textCompared(_ title: String, columns: String) -> String {
    pick(
      "Đọc kèm \(title); \(columns): cạnh nhau", "Compared with \(title); \(columns): side by side")
  }
  public var textNotCompared: String { pick("Thôi đọc kèm", "Not compared any more") }

  // MARK: Wrong arguments

  /// - Parameter ids: The IDs of the recognised translations.
  public func noSuchTextToInstall(_ name: String, _ ids: String) -> String {
    pick(
      "Không có bản dịch hay tệp “\(name)”; các bản dịch được công nhận: \(ids).",
      "There is no translation and no file “\(name)”; the recognised translations: \(ids).")
  }
  public var textOptionsNeedAFile: String {
    pick(
      "--id, --title và --language đi cùng đúng một tệp.",
      "--id, --title and --language go with exactly one file.")
  }
  public func fileHasSeveralTexts(_ name: String, _ count: Int) -> String {
    pick(
      "“\(name)” có \(count) bản, nên --id, --title và --language không dùng được.",
      "“\(name)” has \(count) texts, so --id, --title and --language cannot be used.")
  }
  public func textNeedsID(_ name: String) -> String {
    pick(
      "“\(name)” không cho biết là bản nào; đặt mã cho nó, ví dụ: --id vi.ban-cua-toi",
      "“\(name)” does not say which text it is; give it an ID, for example: --id vi.my-text")
  }
  public func textIDIsTaken(_ id: String) -> String {
    pick(
      "Đã có bản “\(id)”; --id \(id) thay bản ấy, một mã khác cài thêm bên cạnh.",
      "There is a text “\(id)” already; --id \(id) replaces it, another ID installs this one as well."
    )
  }

  // MARK: Help

  public var helpText: String { pick("Các bản văn Kinh Quran.", "The texts of the Quran.") }
  public var helpTextList: String {
    pick("Liệt kê các bản trên máy này.", "List the texts on this machine.")
  }
  public var helpTextInstall: String {
    pick(
      "Cài bản dịch được công nhận từ QuranEnc.com, hoặc từ tệp.",
      "Install the recognised translations from QuranEnc.com, or files.")
  }
  public var helpTextNames: String {
    pick(
      "vi.rwwad, vi.hassan, hoặc tệp (- là đầu vào); không có thì cài cả hai bản dịch.",
      "vi.rwwad, vi.hassan, or files (- is the input); without any, both translations.")
  }
  public var helpNameOrFile: String { pick("bản|tệp", "text|file") }
  public var helpTextUpdate: String {
    pick("Cập nhật các bản của QuranEnc.com.", "Update the texts of QuranEnc.com.")
  }
  public var helpTextUpdateIDs: String {
    pick("Chỉ những bản này.", "Only these texts.")
  }
  public var helpTextUse: String { pick("Chọn bản để đọc.", "Choose the text that is read.") }
  public var helpTextRemove: String { pick("Gỡ một bản.", "Remove a text.") }
  public var helpTextShow: String {
    pick("Cho biết nguồn gốc của một bản.", "Show where a text comes from.")
  }
  public var helpTextID: String { pick("Mã của bản văn.", "The ID of the text.") }
  public var helpTextFileID: String {
    pick("Mã cho bản trong tệp.", "The ID for the text of a file.")
  }
  public var helpTextTitle: String { pick("Tên của bản trong tệp.", "Its title.") }
  public var helpTextLanguage: String {
    pick("Ngôn ngữ của bản trong tệp, ví dụ: vi.", "Its language, for example: vi.")
  }
  public var helpReadArabic: String {
    pick("In cả nguyên văn tiếng Ả Rập.", "Print the Arabic as well.")
  }
}

// Texts of the Quran: the commands for them, and their screen.
extension Messages {
  // MARK: Choosing

  public func noSuchEdition(_ id: String, _ ids: String) -> String {
    pick(
      "Không có bản “\(id)”; đang có: \(ids).", "There is no edition “\(id)”; there are: \(ids).")
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
    pick("Từ nay đọc: \(title)", "The text that is read: \(title)")
  }
  public func textCanBeUsed(_ id: String) -> String {
    pick("Để đọc bản này: quran-vi text use \(id)", "To read it: quran-vi text use \(id)")
  }
  /// - Parameter current: The title of the text that is read now.
  public func textRemoved(_ id: String, reading current: String) -> String {
    pick("Đã gỡ \(id). Đang đọc: \(current)", "Removed \(id). The text that is read: \(current)")
  }
  public var noTextToUpdate: String {
    pick(
      "Chưa có bản nào cài từ QuranEnc.com; cài bằng: quran-vi text install",
      "No text from QuranEnc.com is installed; install with: quran-vi text install")
  }

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

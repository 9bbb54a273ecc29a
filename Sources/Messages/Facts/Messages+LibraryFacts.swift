public import Library
import Quran
import Text

extension Messages {
  /// Explains why a request to the library failed, and what the user can do about it.
  public func explain(_ failure: LibraryFailure) -> String {
    switch failure {
    case .noHomeDirectory:
      pick(
        "Không có thư mục nhà (HOME) nên không có chỗ cho thư viện; dùng --library để"
          + " chỉ ra một tệp.",
        "There is no home directory (HOME) to keep the library in; --library names a file.")
    case .readOnly:
      pick(
        "Không ghi được vào thư mục của thư viện, nên chỉ đọc, không thay đổi được gì.",
        "The library's directory cannot be written, so the library can only be read.")
    case .unreadable(let path, let code):
      pick(
        "Không đọc được \(path.sanitizedLine) (\(systemError(code))).",
        "\(path.sanitizedLine) cannot be read (\(systemError(code))).")
    case .diskFull:
      pick(
        "Đĩa đã đầy nên không lưu được; những gì đã lưu vẫn còn nguyên.",
        "The disk is full, so this was not saved; what was saved before is safe.")
    case .busy:
      pick(
        "Một tiến trình khác đang giữ thư viện; hãy thử lại.",
        "Another process is holding the library; try again.")
    case .newer(let path):
      pick(
        "\(path.sanitizedLine) là của phiên bản quran-vi mới hơn; tệp được để nguyên."
          + " Hãy cập nhật chương trình.",
        "\(path.sanitizedLine) is from a newer quran-vi, and was left as it is."
          + " Update the program.")
    case .foreign(let path):
      pick(
        "\(path.sanitizedLine) không phải là thư viện của quran-vi; tệp được để nguyên.",
        "\(path.sanitizedLine) is not a quran-vi library, and was left as it is.")
    case .strangeSchema(let path):
      pick(
        "\(path.sanitizedLine) có những bảng không phải của quran-vi nên không được mở;"
          + " tệp được để nguyên. Để khôi phục một bản sao lưu: quran-vi backup restore",
        "\(path.sanitizedLine) has tables that are not quran-vi's, so it was not opened,"
          + " and left as it is. To restore a backup: quran-vi backup restore")
    case .damagedBehindLink(let path):
      pick(
        "\(path.sanitizedLine) bị hỏng và được mở qua một liên kết, nên được để nguyên."
          + " Để cứu dữ liệu: quran-vi --library \(path.sanitizedLine)",
        "\(path.sanitizedLine) is damaged and was opened through a symbolic link,"
          + " so it was left as it is. To salvage it: quran-vi --library \(path.sanitizedLine)")
    case .damagedInUse(let path):
      pick(
        "\(path.sanitizedLine) bị hỏng và đang được mở ở nơi khác;"
          + " hãy đóng hết quran-vi rồi mở lại.",
        "\(path.sanitizedLine) is damaged and open elsewhere;"
          + " close every quran-vi, then start again.")
    case .damaged(let path):
      pick(
        "\(path.sanitizedLine) bị hỏng; mở lại quran-vi để cứu dữ liệu, hoặc dùng:"
          + " quran-vi backup restore",
        "\(path.sanitizedLine) is damaged; start quran-vi again to salvage it, or use:"
          + " quran-vi backup restore")
    case .damagedBackup(let path):
      pick(
        "Bản sao lưu \(path.sanitizedLine) bị hỏng, nên thư viện được để nguyên. Chọn bản khác:"
          + " quran-vi backup list",
        "The backup \(path.sanitizedLine) is damaged, so the library was left as it is. Choose"
          + " another: quran-vi backup list")
    case .replaced(let path):
      pick(
        "\(path.sanitizedLine) đã bị thay hoặc bị xóa khi đang mở; hãy thử lại.",
        "\(path.sanitizedLine) was replaced or removed while it was open; try again.")
    case .changedMeanwhile(let thing):
      pick(
        "Không hoàn tác được: \(name(of: thing)) đã thay đổi sau đó.",
        "Not undone: \(name(of: thing)) was changed since.")
    case .note(let problem): explain(problem)
    case .database(let code, let message):
      pick(
        "Cơ sở dữ liệu báo lỗi \(code): \(message.sanitizedLine)",
        "The database reports error \(code): \(message.sanitizedLine)")
    }
  }

  /// Explains a notice of the library.
  public func explain(_ notice: Notice) -> String {
    switch notice {
    case .setAside(let path, let salvaged, let hasBackup):
      pick(
        "Thư viện bị hỏng, được giữ nguyên ở \(path.sanitizedLine); cứu được \(salvaged) mục.",
        "The library was damaged; it is kept unchanged at \(path.sanitizedLine), and "
          + (salvaged == 1 ? "1 entry was" : "\(salvaged) entries were") + " saved from it.")
        + (hasBackup ? backupHint : "")
    case .gone(let wal, let hasBackup):
      pick(
        "Tệp thư viện đã mất; một thư viện mới đã được tạo.",
        "The library's file is gone; a new library was made.")
        + (wal.map {
          pick(
            " Những thay đổi mới nhất được giữ ở \($0.sanitizedLine).",
            " Its newest changes are in \($0.sanitizedLine).")
        } ?? "")
        + (hasBackup ? backupHint : "")
    case .walSetAside(let path):
      pick(
        "Tệp thư viện đã bị thay bằng một tệp khác; những thay đổi mới nhất của tệp cũ được giữ ở"
          + " \(path.sanitizedLine).",
        "The library's file was replaced by another; the newest changes of the former one are in"
          + " \(path.sanitizedLine).")
    case .replaced(let previous):
      pick(
        "Tệp thư viện vừa bị thay bằng một tệp khác, nay đang mở.",
        "The library's file was just replaced by another, which is open now.")
        + (previous.map {
          pick(
            " Thư viện cũ được giữ ở \($0.sanitizedLine).",
            " The former library is kept at \($0.sanitizedLine).")
        }
          ?? pick(
            " Không giữ lại được dữ liệu của thư viện cũ.",
            " The data of the former library could not be kept."))
    case .removed:
      pick(
        "Tệp thư viện vừa bị xóa khi đang mở; thư viện đã được ghi ra lại.",
        "The library's file was just removed while it was open; it was written again.")
    case .filesOfEditor(let path):
      pick(
        "Trình soạn thảo để lại tệp ở \(path.sanitizedLine); lấy chữ bạn cần, rồi xóa thư mục ấy.",
        "An editor left files in \(path.sanitizedLine); take the text that you need, and delete the"
          + " directory.")
    case .unchangeable(let failure): explain(failure)
    case .damaged:
      pick(
        "Kiểm tra thấy thư viện bị hỏng; lần mở sau sẽ cứu dữ liệu.",
        "A check found the library damaged; the next start will salvage it.")
    }
  }

  /// The warning of a command that reads a library whose file is missing.
  public var libraryIsGone: String {
    pick("Tệp thư viện đã mất.", "The library's file is gone.") + backupHint
  }

  private var backupHint: String {
    pick(" Có bản sao lưu: quran-vi backup restore", " There is a backup: quran-vi backup restore")
  }

  /// Explains why a text is not a valid note.
  public func explain(_ problem: NoteText.Problem) -> String {
    switch problem {
    case .empty: pick("Ghi chú chưa có chữ nào.", "The note has no text.")
    case .tooLong(let excess):
      pick(
        "Ghi chú thừa \(excess) byte; tối đa \(NoteText.limit) byte.",
        "The note is \(excess == 1 ? "1 byte" : "\(excess) bytes") too long; it can have at most"
          + " \(NoteText.limit) bytes.")
    }
  }

  /// Returns the name of a thing, for use within a sentence.
  public func name(of thing: Thing) -> String {
    switch thing {
    case .favorite(let ayah): pick("dấu yêu thích ở \(ayah)", "the favourite \(ayah)")
    case .note: pick("ghi chú đó", "the note")
    case .progress(let surah):
      pick("tiến độ chương \(surah.rawValue)", "the progress of surah \(surah.rawValue)")
    case .setting(let key):
      pick("cài đặt “\(key.sanitizedLine)”", "the setting “\(key.sanitizedLine)”")
    }
  }
}

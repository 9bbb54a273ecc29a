import FoundationEssentials
import GRDB
import Glibc
import Quran

/// The file in which an external editor edits a draft.
///
/// Each file is in a directory of its own beside the library. For example, the path of a file is
/// `library.sqlite.editing/6F9619FF-….a1B2c3/2-255.txt`. The directory's name contains the ID of
/// the draft. If the process that started the editor is killed, the text is found by this ID; see
/// `Library.recoverEditedDrafts()`. The process and its editor hold a lock on the directory.
public struct EditorFile: Hashable, Sendable {
  /// The path of the directory without its last characters, which make it unique.
  public let directoryPrefix: String
  /// The name of the file, which editors show.
  public let name: String

  /// Chooses the names for a file.
  ///
  /// - Parameters:
  ///   - draft: The draft to edit.
  ///   - library: The path of the library.
  public init(_ draft: Draft, library: String) {
    let parent = Self.parent(library: Library.resolved(library))
    directoryPrefix = "\(parent)/\(draft.id)."
    name = "\(draft.ayah.surah.rawValue)-\(draft.ayah.ayah)\(Self.nameExtension)"
  }

  fileprivate static func parent(library: String) -> String { library + ".editing" }

  fileprivate static let nameExtension = ".txt"
  /// What nano adds to the name of the file in which it saves the text if the terminal is closed.
  private static let emergencyExtension = ".save"

  /// Returns the ayah in the name of a file. Returns nil if the name is neither that of a file for
  /// an editor nor that of an emergency file of nano.
  fileprivate static func ayah(inName name: String) -> AyahID? {
    let name =
      name.hasSuffix(emergencyExtension) ? name.dropLast(emergencyExtension.count) : name[...]
    guard name.hasSuffix(nameExtension) else { return nil }
    let numbers = name.dropLast(nameExtension.count).split(separator: "-").map { Int($0) }
    guard numbers.count == 2, let surah = numbers[0], let ayah = numbers[1] else { return nil }
    return AyahID(surah: surah, ayah: ayah)
  }
}

/// A text that was found in the file of an external editor.
private struct SavedText {
  let path: String
  let ayah: AyahID
  let text: String
  /// Milliseconds since 1970, UTC.
  let time: Int64

  /// Reads a file; nil if it is not one of an editor, or not text.
  init?(_ name: String, in directory: String) {
    path = "\(directory)/\(name)"
    var status = stat()
    guard let ayah = EditorFile.ayah(inName: name), stat(path, &status) == 0,
      let data = try? Data(contentsOf: URL(filePath: path)),
      let text = String(validating: data, as: UTF8.self)
    else { return nil }
    (self.ayah, self.text) = (ayah, text)
    time = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
  }
}

extension Library {
  /// Moves texts that were saved in an external editor to their drafts, if the process that started
  /// the editor was killed and the editor has ended.
  ///
  /// - Returns: The directories with other files of editors that have ended, such as texts that are
  ///   not in UTF-8, or what vim can recover a text from.
  /// - Throws: An error of the library. The texts then stay in their files.
  func recoverEditedDrafts() throws(LibraryFailure) -> [String] {
    let files = FileManager.default
    let parent = EditorFile.parent(library: path)
    var left: [String] = []
    for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] {
      let directory = "\(parent)/\(name)"
      let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { Glibc.close(descriptor) }
      guard let id = name.split(separator: ".").first.flatMap({ UUID(uuidString: String($0)) }),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      let saved = ((try? files.contentsOfDirectory(atPath: directory)) ?? [])
        .compactMap { SavedText($0, in: directory) }
      try write { try $0.recover(saved.max { $0.time < $1.time }, of: id) }
      for text in saved { unlink(text.path) }
      if rmdir(directory) != 0 { left.append(directory) }
    }
    rmdir(parent)
    return left
  }
}

extension Database {
  /// Stores a text that was saved in an external editor as the text of its draft. If the draft was
  /// changed after that, or deleted, the text becomes another draft, unless it is in a note or in a
  /// draft of the ayah.
  ///
  /// - Parameter saved: The text; nil if there is none that can be read.
  fileprivate func recover(_ saved: SavedText?, of id: UUID) throws {
    let stored = try Draft.stored(id, in: self)
    guard let saved, let text = NoteText.edited(saved.text, from: stored?.text ?? "") else {
      // The draft was stored only because the editor was started.
      if let stored, stored.text == stored.base?.text ?? "" { try deleteDraft(id) }
      return
    }
    var draft =
      stored
      ?? Draft(id: id, noteID: id, ayah: saved.ayah, base: nil, text: "", changedAt: saved.time)
    let isChangedSince = draft.changedAt > saved.time
    (draft.text, draft.changedAt) = (text, saved.time)
    if stored != nil, !isChangedSince { return try draft.save(self) }
    let texts =
      try Note.all(of: draft.ayah, in: self).map(\.text.text)
      + Draft.all(of: draft.ayah, in: self).map(\.text)
    guard !texts.contains(where: { LineMerge.holds($0, linesOf: text) }) else { return }
    if stored == nil {
      try draft.save(self)
    } else {
      _ = try draft.saveCopy(self)
    }
  }
}

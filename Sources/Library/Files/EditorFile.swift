import FoundationEssentials
import GRDB
import Glibc
import Quran

/// The file in which an external editor edits a draft.
///
/// It is in a directory beside the library. The name of the directory contains the process that
/// started the editor and the ID of the draft, so that the text is found after that process was
/// killed: `library.sqlite.editing/4711.86400.6F9619FF-….a1B2c3/2-255.txt`. See
/// `Library.recoverEditedDrafts(at:)`.
public struct EditorFile: Hashable, Sendable {
  /// The path of the directory without its last characters, which make it unique.
  public let directoryPrefix: String
  /// The name of the file, which editors show.
  public let name: String

  /// - Parameters:
  ///   - draft: The draft to edit.
  ///   - library: The path of the library.
  public init(_ draft: Draft, library: String) {
    let parent = Self.parent(library: Library.resolved(library))
    directoryPrefix = "\(parent)/\(DraftWriter.current).\(draft.id)."
    name = "\(draft.ayah.surah.rawValue)-\(draft.ayah.ayah)\(Self.nameExtension)"
  }

  fileprivate static func parent(library: String) -> String { library + ".editing" }

  fileprivate static let nameExtension = ".txt"

  /// Returns the ayah in the name of a file; nil if the file is not one that an editor was given.
  fileprivate static func ayah(inName name: String) -> AyahID? {
    guard name.hasSuffix(nameExtension) else { return nil }
    let numbers = name.dropLast(nameExtension.count).split(separator: "-").map { Int($0) }
    guard numbers.count == 2, let surah = numbers[0], let ayah = numbers[1] else { return nil }
    return AyahID(surah: surah, ayah: ayah)
  }
}

extension Library {
  /// Moves texts that were saved in an external editor to their drafts, if the process that started
  /// the editor was killed.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  func recoverEditedDrafts(at now: Int64) throws(LibraryFailure) {
    let files = FileManager.default
    let parent = EditorFile.parent(library: path)
    for directory in (try? files.contentsOfDirectory(atPath: parent)) ?? [] {
      let parts = directory.split(separator: ".")
      guard parts.count == 4, let id = UUID(uuidString: String(parts[2])),
        !DraftWriter.isRunning(parts[..<2].joined(separator: "."))
      else { continue }
      let directory = "\(parent)/\(directory)"
      for name in (try? files.contentsOfDirectory(atPath: directory)) ?? [] {
        // A file that is not text is left where it is.
        guard let ayah = EditorFile.ayah(inName: name),
          let data = try? Data(contentsOf: URL(filePath: "\(directory)/\(name)")),
          let text = String(validating: data, as: UTF8.self)
        else { continue }
        try write { try $0.recover(text, of: id, ayah, at: now) }
        unlink("\(directory)/\(name)")
      }
      // Fails if the editor is still running or has left files that only it can read.
      rmdir(directory)
    }
  }
}

extension Database {
  /// Stores a text that was saved in an external editor as the text of its draft. The draft may
  /// have been deleted since.
  fileprivate func recover(_ written: String, of id: UUID, _ ayah: AyahID, at now: Int64) throws {
    let stored = try Draft.stored(id, in: self)
    var draft =
      stored ?? Draft(id: id, noteID: id, ayah: ayah, base: nil, text: "", changedAt: now)
    guard let text = NoteText.edited(written, from: draft.text) else {
      // The draft was stored only because the editor was started.
      if draft.text == draft.base?.text ?? "" { try deleteDraft(id) }
      return
    }
    if stored == nil, try Note.all(of: ayah, in: self).contains(where: { $0.text.text == text }) {
      return
    }
    draft.text = text
    draft.changedAt = now
    try draft.save(self)
  }
}

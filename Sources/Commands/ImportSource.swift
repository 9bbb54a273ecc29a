import Glibc
import LegacyImport
import Library
import Messages
import Text

/// A file to import, whose format is detected by its content.
struct ImportSource {
  /// The name of the file as the user gave it.
  var name: String { file.name }
  private let file: InputFile
  private let content: Content
  private let messages: Messages

  private enum Content {
    /// An export of this program, which is read incrementally.
    case export
    case legacy(LegacyDump)
  }

  /// The identity of the file and of its current content.
  var identity: FileState? { file.identity }

  /// Detects the format of a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - messages: The language of error messages.
  ///   - progress: Called with the number of bytes read and the size of the file.
  /// - Throws: Status 3 if the file cannot be imported.
  init(
    _ file: InputFile, messages: Messages, progress: @escaping (_ done: Int, _ total: Int) -> Void
  ) throws(CommandFailure) {
    self.file = file
    self.messages = messages
    content = try Self.content(of: file, messages: messages, progress: progress)
  }

  private static func content(
    of file: InputFile, messages: Messages, progress: @escaping (Int, Int) -> Void
  ) throws(CommandFailure) -> Content {
    let size = file.size
    let failure: ExportDocument.Failure
    do {
      _ = try ExportDocument.inspect(file.source { progress($0, size) })
      return .export
    } catch let error as ExportDocument.Failure {
      failure = error
    } catch {
      throw file.commandFailure(for: error, messages: messages)
    }
    if case .newer = failure {
      throw CommandFailure(.badData, messages.explain(failure, in: file.name))
    }
    do {
      return .legacy(try LegacyDump(try file.bytes(upTo: LegacyDump.byteLimit)))
    } catch let error as LegacyFailure {
      // For a file that is JSON, the first error is more helpful, because it contains the line
      // number.
      let message =
        switch (failure, error) {
        case (.syntax, .damaged(.json, _)), (.syntax, .unknownFormat):
          messages.explain(failure, in: file.name)
        case (_, .noLegacyKeys(let keys)) where Set(["format", "version"]).isSubset(of: keys):
          messages.exportIsPacked(file.name.sanitizedLine)
        default: messages.explain(error, in: file.name)
        }
      throw CommandFailure(.badData, message)
    } catch {
      throw file.commandFailure(for: error, messages: messages)
    }
  }

  /// Imports all valid entries of the file.
  ///
  /// - Parameters:
  ///   - library: The library.
  ///   - now: The time in milliseconds since 1970, UTC.
  ///   - isDryRun: Whether to only report what would be imported.
  ///   - restoresDeleted: Whether to restore legacy notes that were imported earlier and deleted
  ///     since.
  ///   - keepsCommit: Whether the result includes the changes, for undo.
  ///   - progress: Called with the number of bytes or entries read and their total.
  /// - Throws: Status 3 if the file cannot be read or imported. The library is then unchanged.
  func load(
    into library: Library, at now: Int64, isDryRun: Bool = false, restoresDeleted: Bool = false,
    keepsCommit: Bool = false,
    progress: @escaping (_ done: Int, _ total: Int) -> Void
  ) throws(CommandFailure) -> ImportResult {
    do {
      switch content {
      case .export:
        let size = file.size
        let report = try library.importJSON(
          at: now, isDryRun: isDryRun, keepsCommit: keepsCommit,
          from: file.source { progress($0, size) })
        return ImportResult(report, messages: messages)
      case .legacy(let dump):
        let rows = dump.rows
        let report = try library.importLegacy(
          rows, datedAt: file.modifiedAt ?? now, at: now, isDryRun: isDryRun,
          restoresDeleted: restoresDeleted, keepsCommit: keepsCommit,
          progress: { progress($0, rows.count) })
        return ImportResult(dump, report, messages: messages)
      }
    } catch let failure as ExportDocument.Failure {
      throw CommandFailure(.badData, messages.explain(failure, in: file.name))
    } catch let failure as LibraryFailure {
      throw CommandFailure(failure, messages: messages)
    } catch {
      throw file.commandFailure(for: error, messages: messages)
    }
  }
}

extension InputFile {
  fileprivate func commandFailure(for error: any Error, messages: Messages) -> CommandFailure {
    let code = (error as? SystemError)?.code ?? EIO
    return CommandFailure(.badData, messages.fileNotRead(name, code))
  }
}

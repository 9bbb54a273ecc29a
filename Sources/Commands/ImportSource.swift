import Glibc
import LegacyImport
import Library
import Messages
import Text

/// A file that can be imported: what kind it is of is known by its content.
struct ImportSource {
  /// As people named it.
  var name: String { file.name }
  private let file: InputFile
  private let content: Content
  private let messages: Messages

  private enum Content {
    /// One of our own exports, which is read as it comes.
    case export
    case legacy(LegacyDump)
  }

  /// What tells the file from others, and from itself when it is changed.
  var identity: InputFile.Identity { file.identity }

  /// - Parameter progress: told how many bytes are read, of how many.
  /// - Throws: status 3 where it is nothing to import.
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
      throw file.explaining(error, messages: messages)
    }
    if case .newer = failure {
      throw CommandFailure(.badData, messages.explain(failure, in: file.name))
    }
    do {
      return .legacy(try LegacyDump(try file.bytes(upTo: LegacyDump.byteLimit)))
    } catch let error as LegacyFailure {
      // What is JSON after all is better explained by whoever knows the line.
      let message =
        switch (failure, error) {
        case (.syntax, .damaged(.json, _)), (.syntax, .notRecognised):
          messages.explain(failure, in: file.name)
        case (_, .noLegacyKeys(let keys)) where Set(["format", "version"]).isSubset(of: keys):
          messages.exportIsPacked(file.name.displayableLine)
        default: messages.explain(error, in: file.name)
        }
      throw CommandFailure(.badData, message)
    } catch {
      throw file.explaining(error, messages: messages)
    }
  }

  /// How a file is imported.
  struct Options {
    /// Milliseconds since 1970, UTC.
    var now: Int64
    var isDryRun = false
    /// Whether legacy notes that were imported and deleted since come back.
    var restoresDeleted = false
    /// Whether the result tells what changed, for undo.
    var keepsCommit = false
  }

  /// Takes all of it that is good into the library.
  ///
  /// - Throws: status 3; then nothing is changed.
  func load(
    into library: Library, _ options: Options,
    progress: @escaping (_ done: Int, _ total: Int) -> Void
  ) throws(CommandFailure) -> ImportResult {
    do {
      switch content {
      case .export:
        let size = file.size
        let report = try library.importJSON(
          at: options.now, isDryRun: options.isDryRun, keepsCommit: options.keepsCommit,
          from: file.source { progress($0, size) })
        return ImportResult(report, messages: messages)
      case .legacy(let dump):
        let rows = dump.rows
        let report = try library.importLegacy(
          rows, datedAt: file.modifiedAt ?? options.now, at: options.now,
          isDryRun: options.isDryRun, restoresDeleted: options.restoresDeleted,
          keepsCommit: options.keepsCommit, progress: { progress($0, rows.count) })
        return ImportResult(dump, report, messages: messages)
      }
    } catch let failure as ExportDocument.Failure {
      throw CommandFailure(.badData, messages.explain(failure, in: file.name))
    } catch let failure as LibraryFailure {
      throw CommandFailure(failure, messages: messages)
    } catch {
      throw file.explaining(error, messages: messages)
    }
  }
}

extension InputFile {
  fileprivate func explaining(_ error: any Error, messages: Messages) -> CommandFailure {
    let code = (error as? ReadFailure)?.code ?? EIO
    return CommandFailure(.badData, messages.fileNotRead(name, code))
  }
}

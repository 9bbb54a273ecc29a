public import Editions
public import Messages
import Text

// `quran-vi text`
extension CommandContext {
  /// Prints the available editions.
  public func listEditions(_ editions: [Edition]) throws(CommandFailure) {
    guard !asJSON else { return try console.json(editions.map { EditionEntry($0.info) }) }
    for info in editions.map(\.info) {
      let title =
        info.isRecognised ? info.title : "\(messages.bundledTitle) – \(messages.notReviewed)"
      try console.line("\(info.id)  \(info.language)  \(title)  (\(info.licence))")
    }
  }
}

/// An edition in the JSON output.
private struct EditionEntry: Encodable {
  let id: String
  let language: String
  let direction: Edition.Direction
  let title: String
  let translator: String
  let source: String
  let version: String
  let licence: String
  let recognised: Bool

  init(_ info: Edition.Info) {
    id = info.id
    language = info.language
    direction = info.direction
    title = info.title
    translator = info.translator
    source = info.source
    version = info.version
    licence = info.licence
    recognised = info.isRecognised
  }
}

extension Edition {
  /// Returns the installed edition with an ID, or the default edition if the ID is nil.
  ///
  /// - Throws: Status 1 if no edition has the ID.
  public static func named(_ id: String?, messages: Messages) throws(CommandFailure) -> Edition {
    guard let id else { return installed.first ?? bundled }
    guard let edition = installed.first(where: { $0.info.id == id }) else {
      let ids = installed.map(\.info.id).joined(separator: ", ")
      throw CommandFailure(.notFound, messages.noSuchEdition(id.sanitizedLine, ids))
    }
    return edition
  }
}

public import Editions
public import Messages
import Text

/// `quran-vi text list`: prints the available editions.
public struct TextListCommand {
  private let editions: [Edition]
  private let asJSON: Bool
  private let messages: Messages

  public init(_ editions: [Edition], asJSON: Bool, messages: Messages) {
    self.editions = editions
    self.asJSON = asJSON
    self.messages = messages
  }

  /// Prints the editions.
  public func run(_ console: Console) throws(CommandFailure) {
    guard !asJSON else {
      try console.json(editions.map { Entry($0.info) })
      return
    }
    for info in editions.map(\.info) {
      let title =
        info.isRecognised ? info.title : "\(messages.bundledTitle) – \(messages.notReviewed)"
      try console.line("\(info.id)  \(info.language)  \(title)  (\(info.licence))")
    }
  }

  private struct Entry: Encodable {
    let id: String
    let language: String
    let direction: String
    let title: String
    let translator: String
    let source: String
    let version: String
    let licence: String
    let recognised: Bool

    init(_ info: Edition.Info) {
      id = info.id
      language = info.language
      direction = info.direction.rawValue
      title = info.title
      translator = info.translator
      source = info.source
      version = info.version
      licence = info.licence
      recognised = info.isRecognised
    }
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

import Editions

/// The screen with the texts of the Quran: those on this machine, and the recognised translations
/// that can be downloaded.
struct TextsState {
  /// The texts on this machine; nil until they were listed.
  var items: [InstalledEditions.Item]?
  /// The texts on the page.
  var shown = ShownTexts()
  /// The ID of the text that the user removes, until this is done; nil if there is none.
  var removing: String?
  /// The download that is running; nil if there is none.
  var download: TextDownload?
  /// The command line that installs a file, until it is done or another key is pressed; nil if
  /// there is none.
  var commandLine: String?
  /// Whether the recognised translations have still to be offered.
  var isOfferDue: Bool
  /// Whether the offer follows at the next key, because another offer is shown now.
  var isOfferNext = false
  /// The report of a failure that is too long for the message line, shown as soon as no overlay or
  /// editor is open.
  var report: OverlayPage?

  /// - Parameter isOfferDue: whether no recognised translation is installed.
  init(isOfferDue: Bool) {
    self.isOfferDue = isOfferDue
  }

  /// The recognised translations that are not installed.
  var available: [RecognisedTranslation] {
    guard let items else { return [] }
    return RecognisedTranslation.all.filter { translation in
      !items.contains { $0.id == translation.id }
    }
  }

  /// The recognised translations that are not installed, or whose installed copy is damaged.
  var installable: [RecognisedTranslation] {
    RecognisedTranslation.all.filter { translation in
      !(items ?? []).contains { $0.id == translation.id && (try? $0.info.get()) != nil }
    }
  }

  /// The rows of the screen.
  var rows: [TextRow] { (items ?? []).map { .installed($0) } + available.map { .available($0) } }
}

/// A row of the screen of texts: an installed edition, or a translation that can be downloaded.
enum TextRow {
  case installed(InstalledEditions.Item)
  case available(RecognisedTranslation)

  var id: String {
    switch self {
    case .installed(let item): item.id
    case .available(let translation): translation.id
    }
  }
}

/// A running download.
struct TextDownload: Hashable {
  /// QuranEnc's name of the translation that is downloaded; nil until the first part has arrived.
  var name: String?
  var done = 0
  /// The number of parts; 0 if it is not known yet.
  var total = 0
  /// Whether the user has asked to stop it.
  var isStopping = false

  /// The progress of the download, in percent.
  var percent: Int { total > 0 ? done * 100 / total : 0 }
}

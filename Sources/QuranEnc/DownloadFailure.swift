public import Editions
public import Quran
public import RecordClient

/// The reason why an edition could not be downloaded. Responses that arrived before are kept,
/// except after `changed`.
public enum DownloadFailure: Error, Hashable, Sendable {
  /// The address of the service is rejected.
  case address(AddressProblem)
  /// An environment variable has an invalid value.
  case environment(ClientOptions.Problem)
  /// No connection to the service could be established.
  case unreachable(NetworkProblem)
  /// The connection failed before a response was complete.
  case interrupted(NetworkProblem)
  /// The service answered with the status of an error.
  case status(Int)
  /// The response does not come from a web service: it is not HTTP, is a redirect, or is too large.
  case unexpectedResponse
  /// The list of translations cannot be read.
  case unreadableCatalog
  /// The service does not have a translation of this name.
  case notListed(key: String)
  /// The response for a surah does not consist of its ayahs.
  case unusableResponse(SurahNumber, EditionFailure)
  /// A new version was published during the download.
  case changed
  /// Another process is downloading the same translation.
  case busy
  /// A file with the responses cannot be read or written; the code is an `errno`.
  case storage(code: Int32)
  /// The download was stopped.
  case cancelled
}

/// The reason why an edition could not be installed or updated.
public enum EditionInstallFailure: Error, Hashable, Sendable {
  /// The edition could not be downloaded.
  ///
  /// - Parameter isPartKept: Whether a part was downloaded, from which the next download continues.
  case download(DownloadFailure, isPartKept: Bool = false)
  /// The downloaded text is not an edition.
  case edition(EditionFailure)
  /// The edition cannot be written.
  case file(EditionFileFailure)
}

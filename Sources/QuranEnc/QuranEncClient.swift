import Editions
import Quran
public import RecordClient
import Synchronization

/// A client of the web service of QuranEnc.com.
public final class QuranEncClient: Sendable {
  /// The address of the service.
  public static let origin = "https://quranenc.com"
  /// The maximum number of times that a request is sent.
  static let maximumAttempts = 4
  /// The longest `Retry-After` in seconds that is waited for. If it is longer, the request fails.
  static let maximumRetryAfter = 30.0

  private let client: WebClient
  private let backoff: Backoff
  /// Whether a request of this client has succeeded. Until then, a request that cannot connect is
  /// not repeated, because there may be no network.
  private let hasSucceeded = Mutex(false)

  /// Creates a client. It connects when the first request is sent.
  ///
  /// - Parameters:
  ///   - origin: The address of the service, or of one with the same documents.
  ///   - options: The options of the connection.
  ///   - backoff: The pauses before a request is sent again.
  /// - Throws: `DownloadFailure.address` if `origin` is not a valid address.
  public init(
    origin: String = QuranEncClient.origin, options: ClientOptions = ClientOptions(),
    backoff: Backoff = Backoff(base: 1, maximum: 8)
  ) throws(DownloadFailure) {
    do {
      client = try WebClient(origin, options: options)
    } catch {
      throw .address(error)
    }
    self.backoff = backoff
  }

  /// Cancels all requests. Later requests fail with `.cancelled`.
  public func shutdown() async { await client.shutdown() }

  /// Fetches the list of translations.
  public func catalog() async throws(DownloadFailure) -> [CatalogEntry] {
    guard let entries = CatalogEntry.decodeList(try await get("/api/v1/translations/list")) else {
      throw .unreadableCatalog
    }
    return entries
  }

  /// Fetches the ayahs of a surah, in the format that `QuranEncDownload` reads.
  ///
  /// - Parameter key: The name of a translation in the list.
  func response(of surah: SurahNumber, key: String) async throws(DownloadFailure) -> [UInt8] {
    try await get("/api/v1/translation/sura/\(key)/\(surah)")
  }

  /// Fetches a document. Requests that failed for a reason that may be temporary are sent again.
  private func get(_ path: String) async throws(DownloadFailure) -> [UInt8] {
    var attempt = 1
    while true {
      let failure: DownloadFailure
      var retryAfter: Double?
      do {
        let response = try await client.get(path)
        if response.isSuccess {
          hasSucceeded.withLock { $0 = true }
          return response.body
        }
        failure = .status(response.status)
        retryAfter = response.retryAfter
      } catch {
        failure = DownloadFailure(error)
      }
      guard attempt < Self.maximumAttempts, isTransient(failure),
        retryAfter ?? 0 <= Self.maximumRetryAfter
      else { throw failure }
      var random = SystemRandomNumberGenerator()
      let pause = backoff.delay(attempt: attempt, retryAfter: retryAfter, using: &random)
      do { try await client.wait(seconds: pause) } catch { throw .cancelled }
      attempt += 1
    }
  }

  /// Whether the reason may be temporary.
  private func isTransient(_ failure: DownloadFailure) -> Bool {
    switch failure {
    case .interrupted: true
    case .unreachable(let problem):
      problem != .curlUnavailable && hasSucceeded.withLock { $0 }
    case .status(let status): status == 429 || status >= 500
    default: false
    }
  }
}

extension DownloadFailure {
  init(_ failure: CallFailure) {
    switch failure {
    case .unreachable(let problem): self = .unreachable(problem)
    case .responseLost(let problem): self = .interrupted(problem)
    case .cancelled: self = .cancelled
    // A body that cannot be decompressed was damaged on its way.
    case .unexpectedResponse(let response) where response.problem == .unreadable:
      self = .interrupted(.connectionClosed)
    // Only the first can occur. The others need CloudKit responses or credentials, which
    // `WebClient` does not use.
    case .unexpectedResponse, .service, .untrustedURL, .credentials: self = .unexpectedResponse
    }
  }
}

import Foundation
public import Quran
import Synchronization

/// A local server with the documents of QuranEnc.com that the program reads.
///
/// The texts are the published Vietnamese text, if it is there, otherwise the bundled one, with
/// invented footnotes for all marks. 2:255 always has a footnote.
public final class QuranEncStandIn: Sendable {
  /// What a request gets instead of its document.
  public enum Fault: Sendable {
    case status(Int, retryAfter: Int? = nil)
    /// Another body.
    case body(String)
    /// The connection is closed without a response.
    case hangUp
    /// The connection is closed in the middle of the response.
    case cut
    /// There is no response as long as the server exists.
    case silence
  }

  /// A translation in the list.
  public struct Translation: Sendable {
    public var key: String
    public var version = "1.0.5"
    public var title: String
    public var description: String

    public init(key: String, title: String, description: String = "") {
      self.key = key
      self.title = title
      self.description = description
    }
  }

  private let server: Server

  public var origin: String { "http://127.0.0.1:\(server.port)" }

  public init() throws {
    server = try Server()
  }

  deinit { server.stop() }

  // MARK: The interface for tests

  /// The paths of the requests so far, without `/api/v1/`.
  public var requests: [String] { server.state.withLock { $0.requests } }

  /// The surahs that were requested so far.
  public var requestedSurahs: [Int] {
    requests.compactMap { $0.hasPrefix("translation/") ? Int($0.split(separator: "/").last!) : nil }
  }

  public func forgetRequests() { server.state.withLock { $0.requests = [] } }

  /// Sets a closure that returns the fault of a request; nil for the document. `count` is the
  /// number of requests for the same path, from 1.
  public func answer(_ fault: @escaping @Sendable (_ path: String, _ count: Int) -> Fault?) {
    server.state.withLock { $0.fault = fault }
  }

  public func change(_ key: String, _ change: @Sendable (inout Translation) -> Void) {
    server.state.withLock { state in
      for index in state.translations.indices where state.translations[index].key == key {
        change(&state.translations[index])
      }
    }
  }

  /// Waits until a path is requested.
  ///
  /// - Returns: False if the path is not requested within two minutes.
  public func waitForRequest(_ path: String) -> Bool {
    let end = Date(timeIntervalSinceNow: 120)
    server.changes.lock()
    defer { server.changes.unlock() }
    while !requests.contains(path) {
      guard server.changes.wait(until: end) else { return false }
    }
    return true
  }

  /// Waits until a path is requested, without blocking a thread that the client may need to send
  /// the request.
  public func waitForRequest(_ path: String) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        let isRequested: Bool = waitForRequest(path)
        continuation.resume(returning: isRequested)
      }
    }
  }

  // MARK: The texts

  /// The text of an ayah, byte for byte.
  public static func text(of ayah: AyahID, key: String = "vietnamese_rwwad") -> String {
    let text = texts[ayah.index - 1]
    let marked = ayah.description == "2:255" && !text.contains("[") ? text + "[1]" : text
    return key == "vietnamese_rwwad" ? marked : "\(key): \(marked)"
  }

  /// The footnotes of an ayah; empty if it has none.
  public static func footnotes(of ayah: AyahID) -> String {
    text(of: ayah).matches(of: /\[(\d{1,4})\]/).map {
      "[\($0.1)] Chú thích thử \($0.1) của \(ayah)."
    }
    .joined(separator: "\n")
  }

  public static func arabic(of ayah: AyahID) -> String {
    "عربي \(ayah.surah) \(ayah.ayah)"
  }

  private static let texts: [String] = {
    if let texts = try? PublishedArabic.vietnameseAyahs() { return texts }
    let file = checkout.appending(path: "Resources/quran/vi.quranvi.txt")
    let lines =
      (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      String($0.split(separator: "|", maxSplits: 2)[2])
    }
  }()

  /// The documents that were made so far, by key and surah, because finding the marks takes long.
  private static let documents = Mutex<[String: Data]>([:])

  fileprivate static func document(of surah: SurahNumber, _ key: String) -> Data? {
    let name = "\(key)/\(surah)"
    if let document = documents.withLock({ $0[name] }) { return document }
    let rows: [[String: Any]] = surah.ayahs.map { ayah in
      [
        "id": "\(ayah.index)", "sura": "\(surah)", "aya": "\(ayah.ayah)",
        "arabic_text": arabic(of: ayah), "translation": text(of: ayah, key: key),
        "footnotes": key == "vietnamese_rwwad" ? footnotes(of: ayah) : "",
      ]
    }
    let document = try? JSONSerialization.data(withJSONObject: ["result": rows])
    documents.withLock { $0[name] = document }
    return document
  }
}

/// The sockets and the threads of the server. The threads hold it until it is stopped.
private final class Server: Sendable {
  struct State {
    var translations = [
      QuranEncStandIn.Translation(
        key: "vietnamese_rwwad", title: "Vietnamese Translation - Rowwad Translation Center",
        description: "Translated by a team of Rowwad.\nDeveloped by QuranEnc.com."),
      QuranEncStandIn.Translation(
        key: "vietnamese_hassan", title: "Vietnamese Translation - Hassan Abdul-Karim"),
    ]
    var requests: [String] = []
    var connections: Set<Int32> = []
    var fault: (@Sendable (_ path: String, _ count: Int) -> QuranEncStandIn.Fault?)?
  }

  private let listener: Int32
  let port: UInt16
  let state = Mutex(State())
  let changes = NSCondition()

  init() throws {
    (listener, port) = try listenOnLoopback()
    acceptConnections(on: listener) { [self] connection in
      state.withLock { _ = $0.connections.insert(connection) }
      Thread.detachNewThread { [self] in
        while serve(connection) {}
        state.withLock { _ = $0.connections.remove(connection) }
        close(connection)
      }
    }
  }

  /// Closes all connections, which ends the threads.
  func stop() {
    state.withLock { state in
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  // MARK: Requests

  /// Answers a request.
  ///
  /// - Returns: False if the connection is to be closed.
  private func serve(_ connection: Int32) -> Bool {
    guard let (bytes, _) = readHead(from: connection) else { return false }
    let target = String(decoding: bytes, as: UTF8.self).split(separator: " ")[1]
    let prefix = "/api/v1/"
    let path = String(target.hasPrefix(prefix) ? target.dropFirst(prefix.count) : target)
    let (choose, count) = state.withLock { state in
      state.requests.append(path)
      return (state.fault, state.requests.count { $0 == path })
    }
    // The closure may change the translations.
    let fault = choose?(path, count)
    let translations = state.withLock { $0.translations }
    changes.lock()
    changes.broadcast()
    changes.unlock()
    switch fault {
    case .hangUp: return false
    case .silence:
      var byte: UInt8 = 0
      _ = read(connection, &byte, 1)
      return false
    case .status(let status, let retryAfter):
      let field = retryAfter.map { "Retry-After: \($0)\r\n" } ?? ""
      return send(Data("<html>".utf8), status: status, field, to: connection)
    case .body(let text): return send(Data(text.utf8), to: connection)
    case .cut, nil: break
    }
    guard let document = document(path, translations) else {
      return send(Data("{}".utf8), status: 404, to: connection)
    }
    if case .cut = fault {
      _ = send(document, of: document.count / 2, to: connection)
      return false
    }
    return send(document, to: connection)
  }

  private func document(_ path: String, _ translations: [QuranEncStandIn.Translation]) -> Data? {
    if path == "translations/list" {
      let list = translations.map {
        [
          "key": $0.key, "language_iso_code": "vi", "version": $0.version, "last_update": 1_700_000,
          "title": $0.title, "description": $0.description,
        ] as [String: Any]
      }
      return try? JSONSerialization.data(withJSONObject: ["translations": list])
    }
    let parts = path.split(separator: "/")
    guard parts.count == 4, parts[..<2] == ["translation", "sura"],
      translations.contains(where: { $0.key == parts[2] }),
      let surah = Int(parts[3]).flatMap(SurahNumber.init)
    else { return nil }
    return QuranEncStandIn.document(of: surah, String(parts[2]))
  }

  /// - Parameter limit: The number of bytes of the body that are sent; nil for all.
  private func send(
    _ body: Data, status: Int = 200, _ field: String = "", of limit: Int? = nil,
    to connection: Int32
  ) -> Bool {
    let head =
      "HTTP/1.1 \(status) -\r\nContent-Type: application/json\r\n\(field)"
      + "Content-Length: \(body.count)\r\n\r\n"
    var rest = Array(Data(head.utf8) + body.prefix(limit ?? body.count))[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

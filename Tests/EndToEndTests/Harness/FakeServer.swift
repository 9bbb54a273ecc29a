import Foundation
import Synchronization
import TestSupport

/// A fake of a record service: it accepts every sign-in, has no records, and answers some requests
/// with responses that a test provides.
final class FakeServer: Sendable {
  /// Returns the response to a request with a route, as `records/modify`, and a body; nil for the
  /// response of a service without records.
  typealias Responder =
    @Sendable (_ route: String, _ body: [String: Any]) -> (
      status: Int, body: [String: Any]
    )?

  private let listener: Int32
  let port: UInt16
  private let responder = Mutex<Responder?>(nil)
  private let routes = Mutex<[String]>([])
  private let lastHead = Mutex("")

  var origin: String { "http://127.0.0.1:\(port)" }

  /// The routes of the requests so far, except `tokens/create`.
  var requestedRoutes: [String] { routes.withLock { $0.filter { $0 != "tokens/create" } } }

  init() throws {
    (listener, port) = try listenOnLoopback()
    acceptConnections(on: listener) { [weak self] connection in
      self?.serve(connection)
      close(connection)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// The head of the newest request.
  var newestHead: String { lastHead.withLock { $0 } }

  /// Sets a closure that answers requests; where it returns nil, the server answers as usual.
  func answer(_ responder: @escaping Responder) { self.responder.withLock { $0 = responder } }

  /// Refuses the operations of each request that saves or deletes a record of a type.
  func refuse(_ type: String, _ code: String, reason: String, retryAfter: Int? = nil) {
    answer { route, body in
      let operations = body["operations"] as? [[String: Any]] ?? []
      let records = operations.map { $0["record"] as? [String: Any] ?? [:] }
      guard route == "records/modify",
        records.contains(where: { $0["recordType"] as? String == type })
      else { return nil }
      var error: [String: Any] = ["serverErrorCode": code, "reason": reason]
      error["retryAfter"] = retryAfter
      return (
        200,
        [
          "records": records.map { [error] record in
            error.merging(["recordName": record["recordName"] ?? ""]) { $1 }
          }
        ]
      )
    }
  }

  /// Connects a reader's library.
  func connect(_ home: Home) throws -> Outcome {
    try home.quranVi(
      "sync", "connect", origin, "--paste", "--yes", input: .text("api\ntoken\n"))
  }

  private func serve(_ connection: Int32) {
    guard let (read, end) = readHead(from: connection) else { return }
    var bytes = read
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    let length = text.lowercased().components(separatedBy: "content-length: ").dropFirst().first
    let bodyStart = end + 4
    let wanted = bodyStart + (length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0)
    while bytes.count < wanted {
      guard readAvailable(connection, into: &bytes) else { return }
    }
    lastHead.withLock { $0 = text }
    let target = text.split(separator: " ")[1]
    let body = Data(bytes[bodyStart...])
    let object = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
    let path = target.prefix { $0 != "?" }.split(separator: "/")
    let route = path.suffix(2).joined(separator: "/")
    routes.withLock { $0.append(route) }
    let responder = responder.withLock { $0 }
    let answer =
      responder?(route, object)
      ?? usual(route, object, isSignedIn: target.contains("ckWebAuthToken="))
    let json = (try? JSONSerialization.data(withJSONObject: answer.body)) ?? Data()
    let reply =
      Data(
        ("HTTP/1.1 \(answer.status) -\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(json.count)\r\nConnection: close\r\n\r\n").utf8) + json
    reply.withUnsafeBytes { _ = write(connection, $0.baseAddress, $0.count) }
  }

  private func usual(
    _ route: String, _ body: [String: Any], isSignedIn: Bool
  ) -> (status: Int, body: [String: Any]) {
    guard isSignedIn else {
      return (
        421,
        [
          "serverErrorCode": "AUTHENTICATION_REQUIRED", "redirectURL": "\(origin)/sign-in",
          "uuid": "u",
        ]
      )
    }
    let zone: [String: Any] = ["zoneID": ["zoneName": "_defaultZone"], "syncToken": "1"]
    switch route {
    case "users/caller":
      return (200, ["userRecordName": "_0123456789abcdef0123456789abcdef"])
    case "records/lookup":
      let records = body["records"] as? [[String: Any]] ?? []
      return (
        200,
        [
          "records": records.map {
            ["recordName": $0["recordName"] ?? "", "serverErrorCode": "NOT_FOUND"]
          }
        ]
      )
    case "records/modify":
      let operations = body["operations"] as? [[String: Any]] ?? []
      return (
        200,
        [
          "records": operations.map {
            ($0["record"] as? [String: Any] ?? [:]).merging(["recordChangeTag": "1"]) { $1 }
          }
        ]
      )
    case "zones/list": return (200, ["zones": [zone]])
    case "changes/zone":
      return (
        200, ["zones": [zone.merging(["records": [Any](), "moreComing": false]) { $1 }]]
      )
    case "subscriptions/modify": return (200, ["subscriptions": [Any]()])
    default: return (404, ["serverErrorCode": "NOT_FOUND"])
    }
  }
}

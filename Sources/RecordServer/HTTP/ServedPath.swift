import CloudRecords
import HTTPTypes

/// A path that is served, as the router knows it. There are no others: what is not in this
/// list does not exist, and tests go through it.
struct ServedPath: Hashable, Sendable {
  let method: HTTPRequest.Method
  /// With `:name` for what varies.
  let template: String
  let purpose: Purpose

  enum Purpose: Hashable, Sendable {
    case endpoint(Route)
    /// Known to the protocol and not served here; the error says so.
    case unserved(ErrorCode, reason: String)
    /// A long poll.
    case courier
    case signIn, register
    /// Ends the session that asks.
    case signOut
    case health, metrics, index

    /// Whether answers name the service, so that clients recognize it at a new address.
    var namesService: Bool { self == .endpoint(.usersCaller) || self == .endpoint(.usersCurrent) }
  }

  static let all: [ServedPath] =
    Route.allCases.flatMap(paths(of:)) + unserved + [
      ServedPath(method: .get, template: "/courier/:secret", purpose: .courier),
      ServedPath(method: .get, template: SignInHandler.signInPath, purpose: .signIn),
      ServedPath(method: .post, template: SignInHandler.signInPath, purpose: .signIn),
      ServedPath(method: .get, template: SignInHandler.registerPath, purpose: .register),
      ServedPath(method: .post, template: SignInHandler.registerPath, purpose: .register),
      ServedPath(
        method: .post, template: "/session/1/:container/:environment/end", purpose: .signOut),
      ServedPath(method: .get, template: "/healthz", purpose: .health),
      ServedPath(method: .head, template: "/healthz", purpose: .health),
      ServedPath(method: .get, template: "/metrics", purpose: .metrics),
      ServedPath(method: .get, template: "/", purpose: .index),
    ]

  private static let environment = "/1/:container/:environment/"

  private static func paths(of route: Route) -> [ServedPath] {
    let templates =
      switch route.module {
      case .database: ["/database\(environment):database/\(route.rawValue)"]
      // Apple's pages show tokens under `/database`, too (cloudkit-web-services.md 1.1).
      case .device: ["/device", "/database"].map { "\($0)\(environment)\(route.rawValue)" }
      }
    return templates.flatMap { template in
      route.acceptedMethods.map { method in
        ServedPath(
          method: method == .get ? .get : .post, template: template, purpose: .endpoint(route))
      }
    }
  }

  /// What a client may ask for that knows more of the protocol than is served.
  private static let unserved: [ServedPath] = {
    let notYet = ["records/resolve", "records/accept", "assets/rereference"].map {
      ($0, HTTPRequest.Method.post, ErrorCode.badRequest, Reason.notServed(endpoint: $0))
    }
    let others = [
      ("users/discover", HTTPRequest.Method.get), ("users/lookup/email", .post),
      ("users/lookup/id", .post), ("users/lookup/contacts", .post),
    ].map { ($0.0, $0.1, ErrorCode.accessDenied, Reason.usersNotShown) }
    return (notYet + others).map { path, method, code, reason in
      ServedPath(
        method: method, template: "/database\(environment):database/\(path)",
        purpose: .unserved(code, reason: reason))
    }
  }()
}

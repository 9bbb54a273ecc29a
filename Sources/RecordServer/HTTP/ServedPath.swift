import CloudRecords
import HTTPTypes

/// A path that the server serves, and what it is for. `all` is the complete list, except that an
/// ephemeral service also has the paths of `EphemeralControl`. The tests iterate over it.
struct ServedPath: Hashable, Sendable {
  let method: HTTPRequest.Method
  /// The path with placeholders, such as `:container`, for its variable parts.
  let template: String
  let purpose: Purpose

  /// The handler's task for a path.
  enum Purpose: Hashable, Sendable {
    case endpoint(Route)
    /// An endpoint of CloudKit Web Services that this server does not implement, and the error of
    /// its response.
    case unserved(ErrorCode, ErrorCause)
    /// A long poll for notifications.
    case pushChannel
    /// The transfer of an asset.
    case assetUpload, assetDownload
    case signIn, register
    /// Ends the session of the request.
    case signOut
    case health, metrics, index

    /// Whether responses have the header with the service's identifier, so that clients recognize
    /// the service at a new address.
    var namesService: Bool { self == .endpoint(.usersCaller) || self == .endpoint(.usersCurrent) }

    /// Whether responses consist of records.
    var hasRecords: Bool {
      let routes: [Route] = [
        .recordsQuery, .recordsLookup, .recordsModify, .recordsChanges, .changesZone,
      ]
      if case .endpoint(let route) = self { return routes.contains(route) }
      return false
    }
  }

  /// All paths that the server serves.
  static let all: [ServedPath] =
    Route.allCases.flatMap(paths(of:)) + unserved + [
      ServedPath(method: .get, template: "/courier/:secret", purpose: .pushChannel),
      ServedPath(
        method: .post, template: RecordService.uploadPath + ":secret", purpose: .assetUpload),
      ServedPath(method: .get, template: AssetLinks.path + ":secret", purpose: .assetDownload),
      ServedPath(method: .head, template: AssetLinks.path + ":secret", purpose: .assetDownload),
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
      // Apple's documentation also shows the token endpoints under `/database`.
      case .device: ["/device", "/database"].map { "\($0)\(environment)\(route.rawValue)" }
      }
    return templates.flatMap { template in
      route.acceptedMethods.map { method in
        ServedPath(
          method: method == .get ? .get : .post, template: template, purpose: .endpoint(route))
      }
    }
  }

  /// Endpoints of CloudKit Web Services that are not implemented. They respond with an error that
  /// says so.
  private static let unserved: [ServedPath] = {
    let requests: [(String, HTTPRequest.Method, ErrorCode, ErrorCause)] = [
      ("records/resolve", .post, .badRequest, .notServed(.sharing, "records/resolve")),
      ("records/accept", .post, .badRequest, .notServed(.sharing, "records/accept")),
      ("assets/rereference", .post, .badRequest, .notServed(.assetRereference)),
      ("users/discover", .get, .accessDenied, .notServed(.userLookup)),
      ("users/lookup/email", .post, .accessDenied, .notServed(.userLookup)),
      ("users/lookup/id", .post, .accessDenied, .notServed(.userLookup)),
      ("users/lookup/contacts", .post, .accessDenied, .notServed(.userLookup)),
    ]
    return requests.map { path, method, code, cause in
      ServedPath(
        method: method, template: "/database\(environment):database/\(path)",
        purpose: .unserved(code, cause))
    }
  }()
}

import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird

/// The paths with which a test controls an ephemeral service. Other services do not have them.
enum EphemeralControl: String, CaseIterable, Sendable {
  case describe, usage, reset, snapshot, restore, seed, signIn, faults, addFault, removeFaults

  var method: HTTPRequest.Method {
    switch self {
    case .describe, .usage, .faults: .get
    case .removeFaults: .delete
    default: .post
    }
  }

  var path: String {
    switch self {
    case .describe: "/ephemeral"
    case .usage: "/ephemeral/usage"
    case .reset: "/ephemeral/reset"
    case .snapshot: "/ephemeral/snapshot"
    case .restore: "/ephemeral/restore"
    case .seed: "/ephemeral/seed"
    case .signIn: "/ephemeral/users"
    case .faults, .addFault, .removeFaults: "/ephemeral/faults"
    }
  }
}

/// The handler of the paths with which a test controls an ephemeral service. Requests and responses
/// are JSON, except for the schema that was used; errors have the form that the protocol defines.
struct EphemeralHandler: Sendable {
  let ephemeral: EphemeralService
  let origin: RequestOrigin

  private struct Name: Codable {
    var name: String
  }

  private struct OptionalName: Codable {
    var name: String?
  }

  private struct Saved: Codable {
    /// The number of records.
    var records: Int
  }

  private struct Faults: Codable {
    var faults: [FaultBody]
  }

  func respond(
    to control: EphemeralControl, _ request: Request, _ context: HTTPContext
  ) async throws -> Response {
    do {
      // Web pages of other sites can send requests to this machine, too.
      guard request.headers[.origin] == nil else { throw EphemeralFailure.fromPage }
      if control == .usage { return .text(ephemeral.schemaUsage.text) }
      return .json(try await answer(control, request, context))
    } catch let failure as EphemeralFailure {
      return .failure(
        ServiceError(failure.code, reason: failure.sentence), id: context.id)
    } catch let failure as RegistrationFailure {
      return .failure(ServiceError(.badRequest, reason: failure.sentence), id: context.id)
    } catch let problem as BodyDecodingError {
      return .failure(problem.serviceError, id: context.id)
    }
  }

  private func answer(
    _ control: EphemeralControl, _ request: Request, _ context: HTTPContext
  ) async throws -> Data {
    let body = try await request.bytes(upTo: Limits.requestBytes)
    /// Decodes the body, a JSON object. A key that is misspelled, or at the wrong place, must not
    /// be ignored.
    func decode<Body: Decodable>(_ type: Body.Type, keys: KnownKeys) throws -> Body {
      let body = body.isEmpty ? Data("{}".utf8) : body
      let json = try Wire.decode(JSONValue.self, from: body, as: .request)
      guard case .object = json else {
        throw BodyDecodingError.shape(path: "", mismatch: .expected(.object))
      }
      if let unknown = json.unknownKey(besides: keys) {
        throw EphemeralFailure.unknownKey(unknown)
      }
      return try Wire.decode(type, from: body, as: .request)
    }
    switch control {
    case .describe:
      return try Wire.encode(ephemeral.description(at: origin.base(request, context)))
    case .reset:
      _ = try decode(EmptyBody.self, keys: .object([String]()))
      try await ephemeral.reset()
    case .snapshot:
      let name = try ephemeral.snapshot(try decode(OptionalName.self, keys: .object(["name"])).name)
      return try Wire.encode(Name(name: name))
    case .restore: try await ephemeral.restore(try decode(Name.self, keys: .object(["name"])).name)
    case .seed:
      let saved = try await ephemeral.seed(try decode(Seed.self, keys: Seed.keys))
      return try Wire.encode(Saved(records: saved.count))
    case .signIn:
      let name = try decode(Name.self, keys: .object(["name"])).name
      return try Wire.encode(try await ephemeral.signIn(name))
    case .addFault:
      let fault = try decode(FaultBody.self, keys: FaultBody.keys).fault()
      if let user = fault.user { _ = try await ephemeral.caller(user) }
      try ephemeral.faults.add(fault)
    case .removeFaults: ephemeral.faults.removeAll()
    case .usage, .faults: break
    }
    switch control {
    case .faults, .addFault, .removeFaults:
      return try Wire.encode(Faults(faults: ephemeral.faults.pending.map { FaultBody($0) }))
    default: return try Wire.encode(EmptyBody())
    }
  }
}

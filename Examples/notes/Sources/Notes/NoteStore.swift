public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The notes of a user, in the private database of a CloudKit container.
public struct NoteStore: Sendable {
  /// A note.
  public struct Note: Hashable, Sendable {
    /// The record name.
    public var name: String
    public var text: String
    /// Milliseconds since 1970.
    public var createdAt: Int64

    public init(_ name: String, _ text: String, createdAt: Int64) {
      self.name = name
      self.text = text
      self.createdAt = createdAt
    }
  }

  /// An error of CloudKit.
  public struct Failure: Error, Hashable {
    /// `serverErrorCode`, such as `THROTTLED`.
    public var code: String
    public var reason: String?
    /// Seconds.
    public var retryAfter: Double?
  }

  /// The URL of the private database: that of Apple's service, or that of a test.
  private let database: URL
  private let tokens: [URLQueryItem]
  /// Waits for a number of seconds.
  private let wait: @Sendable (Double) async throws -> Void

  public init(
    service: String = "https://api.apple-cloudkit.com", container: String,
    environment: String = "development", apiToken: String, webAuthToken: String,
    wait: @escaping @Sendable (Double) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) throws {
    let path = "/database/1/\(container)/\(environment)/private/"
    guard let url = URL(string: service + path) else { throw URLError(.badURL) }
    database = url
    tokens = [
      URLQueryItem(name: "ckAPIToken", value: apiToken),
      URLQueryItem(name: "ckWebAuthToken", value: webAuthToken),
    ]
    self.wait = wait
  }

  /// Saves a note. If the service is busy, tries again as often as twice.
  public func save(_ note: Note) async throws {
    let record: [String: Any] = [
      "recordName": note.name, "recordType": "Note",
      "fields": ["text": ["value": note.text], "createdAt": ["value": note.createdAt]],
    ]
    let operation: [String: Any] = ["operationType": "forceReplace", "record": record]
    let body = try JSONSerialization.data(withJSONObject: ["operations": [operation]])
    for attempt in 0... {
      do {
        _ = try await post("records/modify", body)
        return
      } catch let failure as Failure {
        guard attempt < 2, let seconds = failure.retryAfter else { throw failure }
        try await wait(seconds)
      }
    }
  }

  /// All notes, newest first.
  public func notes() async throws -> [Note] {
    let query: [String: Any] = [
      "recordType": "Note",
      "sortBy": [["fieldName": "createdAt", "ascending": false] as [String: Any]],
    ]
    let body = try JSONSerialization.data(withJSONObject: ["query": query])
    return try await post("records/query", body).map { record in
      Note(
        record.recordName, record.fields["text"]?.text ?? "",
        createdAt: record.fields["createdAt"]?.number ?? 0)
    }
  }

  // MARK: The wire

  private struct Answer: Decodable {
    var records: [Record]?
    var serverErrorCode: String?
    var reason: String?
    var retryAfter: Double?

    func checked() throws -> Answer {
      if let serverErrorCode {
        throw Failure(code: serverErrorCode, reason: reason, retryAfter: retryAfter)
      }
      return self
    }
  }

  private struct Record: Decodable {
    var recordName: String
    var fields: [String: Value]

    private enum CodingKeys: CodingKey { case recordName, fields }

    init(from decoder: any Decoder) throws {
      // A record that was refused has an error in its place.
      _ = try Answer(from: decoder).checked()
      let container = try decoder.container(keyedBy: CodingKeys.self)
      recordName = try container.decode(String.self, forKey: .recordName)
      fields = try container.decode([String: Value].self, forKey: .fields)
    }
  }

  private struct Value: Decodable {
    var text: String?
    var number: Int64?

    private enum CodingKeys: CodingKey { case value }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try? container.decode(String.self, forKey: .value)
      number = try? container.decode(Int64.self, forKey: .value)
    }
  }

  private func post(_ endpoint: String, _ body: Data) async throws -> [Record] {
    var request = URLRequest(url: database.appending(path: endpoint).appending(queryItems: tokens))
    request.httpMethod = "POST"
    request.httpBody = body
    let (data, _) = try await URLSession.shared.data(for: request)
    return try JSONDecoder().decode(Answer.self, from: data).checked().records ?? []
  }
}

/// Asks for URLs to upload assets to.
public enum AssetsUpload: Endpoint {
  public static let route = Route.assetsUpload

  public struct Request: Codable, Hashable, Sendable {
    public var tokens: [Token]
    public var zoneID: ZoneID?

    public init(tokens: [Token], zoneID: ZoneID? = nil) {
      self.tokens = tokens
      self.zoneID = zoneID
    }
  }

  /// The field an asset is for.
  public struct Token: Codable, Hashable, Sendable {
    /// Nil for a new record that the server is to name.
    public var recordName: String?
    public var recordType: String
    public var fieldName: String

    public init(recordName: String? = nil, recordType: String, fieldName: String) {
      self.recordName = recordName
      self.recordType = recordType
      self.fieldName = fieldName
    }
  }

  public struct Answer: Codable, Hashable, Sendable {
    public var tokens: [Place]

    public init(tokens: [Place]) {
      self.tokens = tokens
    }

    private enum CodingKeys: CodingKey { case tokens }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tokens = try container.decodeIfPresent([Place].self, forKey: .tokens) ?? []
    }
  }

  /// Where to upload an asset: its bytes are the body of a POST.
  public struct Place: Codable, Hashable, Sendable {
    public var recordName: String
    public var fieldName: String
    /// Good for 15 minutes.
    public var url: String

    public init(recordName: String, fieldName: String, url: String) {
      self.recordName = recordName
      self.fieldName = fieldName
      self.url = url
    }
  }

  /// What the upload itself answers: the value of the record's field.
  public struct Uploaded: Codable, Hashable, Sendable {
    public var singleFile: Asset

    public init(_ asset: Asset) {
      singleFile = asset
    }
  }
}

/// A file that is stored separately from its record.
///
/// The response to an upload has this form, and it becomes the value of an ASSETID field.
public struct Asset: Codable, Hashable, Sendable {
  /// The signature of the file, computed by the upload.
  public var fileChecksum: String
  /// The size of the file in bytes.
  public var size: Int64
  /// The checksum of `wrappingKey`; required in the private database.
  public var referenceChecksum: String?
  /// The key with which the file is encrypted; required in the private database.
  public var wrappingKey: String?
  /// The proof of the upload; required when the record is saved.
  public var receipt: String?
  /// The URL of the file; only in responses. It may contain the placeholder `${f}` for a file name.
  /// On the server it is a path until the response is encoded; see `Wire.encode`.
  public var downloadURL: String?

  /// Creates an asset of `size` bytes, as the service describes it after an upload or in a record.
  public init(
    fileChecksum: String, size: Int64, referenceChecksum: String? = nil,
    wrappingKey: String? = nil, receipt: String? = nil, downloadURL: String? = nil
  ) {
    self.fileChecksum = fileChecksum
    self.size = size
    self.referenceChecksum = referenceChecksum
    self.wrappingKey = wrappingKey
    self.receipt = receipt
    self.downloadURL = downloadURL
  }
}

extension Asset {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fileChecksum, forKey: .fileChecksum)
    try container.encode(size, forKey: .size)
    try container.encodeIfPresent(referenceChecksum, forKey: .referenceChecksum)
    try container.encodeIfPresent(wrappingKey, forKey: .wrappingKey)
    try container.encodeIfPresent(receipt, forKey: .receipt)
    try container.encodeIfPresent(downloadURL.map(encoder.url), forKey: .downloadURL)
  }
}

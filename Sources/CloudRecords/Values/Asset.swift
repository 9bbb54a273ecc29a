/// A file beside a record: what an upload answered, or where to download it.
public struct Asset: Codable, Hashable, Sendable {
  public var fileChecksum: String
  /// In bytes.
  public var size: Int64
  public var referenceChecksum: String?
  public var wrappingKey: String?
  /// Proves the upload when the record is saved.
  public var receipt: String?
  /// Only in answers. It may contain the text `${f}`, to be replaced by a file name.
  public var downloadURL: String?

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

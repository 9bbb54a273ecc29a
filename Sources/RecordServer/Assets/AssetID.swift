import CloudRecords
import FoundationEssentials

/// The ID of an asset: 16 random bytes.
///
/// Records contain it as the asset's `wrappingKey`, a value that clients of CloudKit keep with the
/// asset and send back. This service does not encrypt files with it.
public struct AssetID: Hashable, Sendable {
  /// The number of bytes of an ID.
  static let length = 16

  let bytes: Data

  /// Creates an ID from bytes; nil if there are not 16 of them.
  init?(_ bytes: Data) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Data(bytes)
  }

  /// Creates a new ID.
  ///
  /// - Parameter random: returns a random number from the system's random source.
  init(random: () -> UInt64) {
    bytes = (0..<Self.length / 8).reduce(into: Data()) { bytes, _ in
      bytes += Data(bigEndian: Int64(bitPattern: random()))
    }
  }
}

extension Asset {
  /// The ID of an asset that is stored in a record; nil for one that a client has made up.
  var id: AssetID? {
    wrappingKey.flatMap { Data(base64Encoded: $0) }.flatMap { AssetID($0) }
  }
}

extension FieldValue {
  /// Returns the value with each of its assets replaced.
  func mappingAssets<Failure: Error>(
    _ transform: (Asset) throws(Failure) -> Asset
  ) throws(Failure) -> FieldValue {
    switch self {
    case .asset(let asset): return .asset(try transform(asset))
    case .assets(let list):
      var mapped: [Asset] = []
      for asset in list { mapped.append(try transform(asset)) }
      return .assets(mapped)
    default: return self
    }
  }
}

extension [String: Field] {
  /// The IDs of the assets in the fields of a stored record.
  var assetIDs: Set<AssetID> {
    reduce(into: []) { ids, field in
      for asset in field.value.value?.assets ?? [] {
        if let id = asset.id { ids.insert(id) }
      }
    }
  }
}

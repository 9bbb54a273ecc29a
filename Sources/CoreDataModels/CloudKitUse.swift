extension DataModel {
  /// Which entities are mirrored to CloudKit.
  public struct CloudKitUse: Hashable, Sendable {
    /// The mirrored parts of the model. Empty if the model is not used with CloudKit.
    public let parts: [Part]
    /// The names of the configurations that are not used with CloudKit.
    public let unusedConfigurations: [String]
    /// The number of entities that are in no configuration, if the default configuration is not
    /// used with CloudKit.
    public let unusedEntities: Int

    /// The entities of one configuration. They are in the same store, which is mirrored as a whole.
    public struct Part: Hashable, Sendable {
      /// The name of the configuration; nil for the default configuration.
      public let configuration: String?
      /// The names of the entities.
      public let entities: Set<String>
    }
  }

  /// Which entities are mirrored to CloudKit, as far as the model says so with "Used with
  /// CloudKit".
  ///
  /// An entity in a named configuration is mirrored if that configuration is used with CloudKit.
  /// The default configuration has all entities, but apps with named configurations give each of
  /// these its own store. So the setting of the default configuration is applied only to the
  /// entities that are in no named one.
  public var cloudKitUse: CloudKitUse {
    var parts: [CloudKitUse.Part] = []
    var unused: [String] = []
    // Entities of one hierarchy are stored together, so the ancestors of members do not remain.
    var remaining = Set(entities.map(\.name))
    for configuration in configurations {
      let members = Set(configuration.members)
      remaining.subtract(withAncestors(members))
      if configuration.isUsedWithCloudKit {
        parts.append(
          CloudKitUse.Part(configuration: configuration.name, entities: members))
      } else {
        unused.append(configuration.name)
      }
    }
    if isUsedWithCloudKit, configurations.isEmpty || !remaining.isEmpty {
      parts.append(CloudKitUse.Part(configuration: nil, entities: remaining))
      remaining = []
    }
    return CloudKitUse(
      parts: parts, unusedConfigurations: unused, unusedEntities: remaining.count)
  }

  /// The names of entities and of all from which they inherit.
  func withAncestors(_ names: Set<String>) -> Set<String> {
    var all: Set<String> = []
    for name in names {
      guard let entity = self[name] else { continue }
      for ancestor in lineage(of: entity) where !all.insert(ancestor.name).inserted { break }
    }
    return all
  }
}

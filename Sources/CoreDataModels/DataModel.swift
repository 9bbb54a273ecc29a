/// A Core Data model, as Xcode writes it into the file `contents` of a `.xcdatamodel` folder.
///
///     let model = try DataModel(contentsOf: "Trips.xcdatamodel/contents")
///     for finding in model.cloudKitFindings() { print(finding) }
///
/// A model that was read is consistent: names are unique, parents, destinations and inverses exist,
/// and inheritance has no cycles.
public struct DataModel: Sendable {
  /// The entities in the order of the file.
  public let entities: [Entity]
  /// The named configurations in the order of the file. The default configuration, which contains
  /// all entities, is not included.
  public let configurations: [Configuration]
  /// Whether the default configuration is marked "Used with CloudKit".
  public let isUsedWithCloudKit: Bool
  /// The indexes of the entities by name.
  let indexes: [String: Int]

  /// The limits for models from unknown sources.
  public enum Limits {
    /// The maximum size of a file in bytes.
    public static let fileBytes = 8 << 20
    /// The maximum depth of nested elements.
    public static let nesting = 64
    /// The maximum number of entities from which an entity inherits, directly or indirectly.
    public static let ancestors = 100
    /// The maximum length of a name in bytes.
    public static let nameBytes = 255
  }
}

extension DataModel {
  /// An entity of a model.
  public struct Entity: Hashable, Sendable {
    public let name: String
    /// The name of the parent entity, from which the properties are inherited.
    public let parent: String?
    /// Whether the entity has no objects of its own, only objects of entities that inherit from it.
    public let isAbstract: Bool
    /// The attributes that the entity declares itself.
    public internal(set) var attributes: [Attribute] = []
    /// The relationships that the entity declares itself.
    public internal(set) var relationships: [Relationship] = []
    public internal(set) var uniquenessConstraints: [UniquenessConstraint] = []
    /// The line in the file, one-based.
    public let line: Int
  }

  /// An attribute of an entity.
  public struct Attribute: Hashable, Sendable {
    public let name: String
    public let type: AttributeType
    public let isOptional: Bool
    public let hasDefault: Bool
    /// Whether the attribute is not stored.
    public let isTransient: Bool
    /// Whether large values can be stored in files of their own.
    public let allowsExternalStorage: Bool
    /// Whether CloudKit stores the value encrypted.
    public let allowsCloudEncryption: Bool
    /// The line in the file, one-based.
    public let line: Int
  }

  /// The type of an attribute. The raw values are the names in the file.
  public enum AttributeType: String, CaseIterable, Hashable, Sendable {
    case integer16 = "Integer 16"
    case integer32 = "Integer 32"
    case integer64 = "Integer 64"
    case decimal = "Decimal"
    case double = "Double"
    case float = "Float"
    case boolean = "Boolean"
    case string = "String"
    case date = "Date"
    case binary = "Binary"
    case uuid = "UUID"
    case uri = "URI"
    case transformable = "Transformable"
    case composite = "Composite"
    case objectID = "Object ID"
    case undefined = "Undefined"
  }

  /// A relationship of an entity.
  public struct Relationship: Hashable, Sendable {
    public let name: String
    /// The name of the entity to which the relationship leads.
    public let destination: String
    /// The name of the inverse relationship, which the destination declares or inherits.
    public let inverse: String?
    public let isOptional: Bool
    public let isToMany: Bool
    public let isOrdered: Bool
    public let deletionRule: DeletionRule
    /// The line in the file, one-based.
    public let line: Int
  }

  /// What happens to the destination when an object is deleted. The raw values are the names in the
  /// file.
  public enum DeletionRule: String, Hashable, Sendable {
    case nullify = "Nullify"
    case cascade = "Cascade"
    case deny = "Deny"
    case noAction = "No Action"
  }

  /// Attributes whose values are together unique among the objects of an entity.
  public struct UniquenessConstraint: Hashable, Sendable {
    public internal(set) var attributes: [String]
    /// The line in the file, one-based.
    public let line: Int
  }

  /// A named selection of entities that are stored together.
  public struct Configuration: Hashable, Sendable {
    public let name: String
    /// Whether the configuration is marked "Used with CloudKit".
    public let isUsedWithCloudKit: Bool
    /// The names of its entities.
    public internal(set) var members: [String] = []
    /// The line in the file, one-based.
    public let line: Int
  }
}

extension DataModel {
  /// The entity with a name.
  public subscript(name: String) -> Entity? { indexes[name].map { entities[$0] } }

  /// The entity and those from which it inherits, beginning with itself.
  func lineage(of entity: Entity) -> some Sequence<Entity> {
    sequence(first: entity) { $0.parent.flatMap { self[$0] } }
  }
}

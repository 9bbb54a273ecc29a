public import CloudRecords

extension DataModel {
  /// Generates the schema of the records to which the model is mirrored.
  ///
  ///     try DataModel(contentsOf: path).mirroredSchema().description
  ///
  /// These are the types that `NSPersistentCloudKitContainer.initializeCloudKitSchema` creates in
  /// the development environment, with its indexes and grants. Source: Apple's article "Reading
  /// CloudKit Records for Core Data":
  ///
  /// - Record types are named by the root entity of an inheritance hierarchy, and have the fields
  ///   of all its entities. `CD_entityName` has the name of the object's entity. Abstract entities
  ///   have no records, but their properties are those of the entities that inherit them.
  /// - An attribute becomes the field `CD_` and its name. Attributes of variable length (String,
  ///   Binary Data, Transformable) have a second field with the suffix `_ckAsset`, for values that
  ///   make the record too large.
  /// - A to-one relationship becomes a STRING with the record name of the other object. A to-many
  ///   relationship has no field: it is the other end of a to-one relationship, or each pair of
  ///   objects has a record of the type `CDMR`.
  ///
  /// Not in the article, but in the schemas that CloudKit exports: transient attributes are not
  /// mirrored, while derived ones are, like others; attributes with "Allows Cloud Encryption"
  /// become ENCRYPTED fields; a composite attribute is stored as data, as a transformable one is;
  /// and each type has a field for the receipts of records that are moved to another zone for
  /// sharing.
  ///
  /// - Throws: a `MirroringError` if mirroring does not support the model.
  public func mirroredSchema() throws(MirroringError) -> Schema {
    let parts = cloudKitUse.parts
    guard !parts.isEmpty else { throw .notUsedWithCloudKit }
    let findings = cloudKitFindings()
    guard findings.isEmpty else { throw .unsupported(findings) }

    let concrete = parts.reduce(into: Set<String>()) { $0.formUnion($1.entities) }
      .filter { self[$0]?.isAbstract == false }
    let declaring = withAncestors(concrete)
    let toMany = toManyRelationships
    var types: [String: RecordType] = [:]
    var hasManyToMany = false
    for entity in entities where declaring.contains(entity.name) {
      let root = lineage(of: entity).reduce(entity) { $1 }
      let name = try mirroredName(root.name, entity: root.name, line: root.line)
      var type = types[name] ?? .mirrored(name)
      for attribute in entity.attributes where !attribute.isTransient {
        try add(attribute, of: entity, to: &type)
      }
      for relationship in entity.relationships {
        if !relationship.isToMany {
          let field = try mirroredName(
            relationship.name, entity: entity.name, line: relationship.line)
          try type.add(
            field, FieldDefinition(.string, FieldType.string.automaticIndexes),
            of: relationship.name, entity: entity, line: relationship.line)
        } else if let inverse = relationship.inverse, let end = self[relationship.destination] {
          let isDeclared = lineage(of: end).contains {
            toMany.contains(Property(entity: $0.name, name: inverse))
          }
          if isDeclared { hasManyToMany = true }
        }
      }
      types[name] = type
    }
    if hasManyToMany { types[RecordType.manyToMany.name] = .manyToMany }
    return Schema(Array(types.values))
  }

  private var toManyRelationships: Set<Property> {
    var found: Set<Property> = []
    for entity in entities {
      for relationship in entity.relationships where relationship.isToMany {
        found.insert(Property(entity: entity.name, name: relationship.name))
      }
    }
    return found
  }

  private func add(
    _ attribute: Attribute, of entity: Entity, to type: inout RecordType
  ) throws(MirroringError) {
    guard let plain = attribute.type.fieldType else { return }
    let name = try mirroredName(attribute.name, entity: entity.name, line: attribute.line)
    let field = attribute.allowsCloudEncryption ? plain.encrypted : plain
    // Values that are stored in files of their own are always uploaded as assets.
    let indexes = attribute.allowsExternalStorage ? [] : field.automaticIndexes
    try type.add(
      name, FieldDefinition(field, field.possibleIndexes.intersection(indexes)),
      of: attribute.name, entity: entity, line: attribute.line)
    if attribute.type.hasVariableLength {
      try type.add(
        "\(name)_ckAsset", FieldDefinition(.asset), of: attribute.name, entity: entity,
        line: attribute.line)
    }
  }

  /// The name of the record type or field for a name in the model.
  private func mirroredName(
    _ name: String, entity: String, line: Int
  ) throws(MirroringError) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      switch UnicodeScalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "_": true
      default: false
      }
    }
    // With `CD_` before and `_ckAsset` behind it.
    guard isPlain, name.utf8.count + 11 <= CloudRecords.Limits.schemaNameLength else {
      throw .name(name, entity: entity, line: line)
    }
    return "CD_\(name)"
  }
}

extension RecordType {
  private static let string = FieldDefinition(.string, FieldType.string.automaticIndexes)

  /// A record type with the fields that mirroring adds to those of the entities.
  fileprivate static func mirrored(_ name: String) -> RecordType {
    RecordType(
      name,
      fields: [
        "CD_entityName": string, "CD_moveReceipt": FieldDefinition(.bytes),
        "CD_moveReceipt_ckAsset": FieldDefinition(.asset),
      ], grants: .default)
  }

  /// The type of records for pairs of objects of a many-to-many relationship.
  fileprivate static let manyToMany = RecordType(
    "CDMR",
    fields: ["CD_entityNames": string, "CD_recordNames": string, "CD_relationships": string],
    grants: .default)

  /// Adds the field of a property. Several entities of one hierarchy may declare properties with
  /// the same name if these have the same type.
  fileprivate mutating func add(
    _ name: String, _ definition: FieldDefinition, of property: String,
    entity: DataModel.Entity, line: Int
  ) throws(MirroringError) {
    let isReserved = ["entityName", "moveReceipt"].contains(property)
    guard !isReserved, fields.updateValue(definition, forKey: name) ?? definition == definition
    else { throw .fieldConflict(name, entity: entity.name, property: property, line: line) }
  }
}

extension DataModel.AttributeType {
  /// The type of the field to which the attribute is mirrored; nil if mirroring does not support
  /// the attribute type.
  fileprivate var fieldType: FieldType? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .int64
    case .decimal, .double, .float: .double
    case .string, .uuid, .uri: .string
    case .date: .timestamp
    case .binary, .transformable, .composite: .bytes
    case .objectID, .undefined: nil
    }
  }

  /// Whether mirroring stores a value in an asset if it is too large for the record.
  fileprivate var hasVariableLength: Bool {
    switch self {
    case .string, .binary, .transformable, .composite: true
    default: false
    }
  }
}

extension DataModel {
  /// Creates a model from what its file declares.
  ///
  /// - Throws: a `ModelError` if names are not unique, if something refers to what does not exist,
  ///   or if an entity inherits from itself.
  init(
    entities: [Entity], configurations: [Configuration], isUsedWithCloudKit: Bool
  ) throws(ModelError) {
    var indexes: [String: Int] = [:]
    for (index, entity) in entities.enumerated() {
      guard indexes.updateValue(index, forKey: entity.name) == nil else {
        throw ModelError(.duplicateEntity(entity.name), line: entity.line)
      }
    }
    self.entities = entities
    self.configurations = configurations
    self.isUsedWithCloudKit = isUsedWithCloudKit
    self.indexes = indexes
    try checkInheritance()
    try checkProperties()
    try checkConfigurations()
  }

  /// Checks that parents exist, and that every entity has a bounded number of ancestors.
  private func checkInheritance() throws(ModelError) {
    for entity in entities {
      if let parent = entity.parent, indexes[parent] == nil {
        throw ModelError(.unknownParent(parent, entity: entity.name), line: entity.line)
      }
    }
    for entity in entities {
      var lineageNames: Set<String> = []
      for ancestor in lineage(of: entity) {
        guard lineageNames.insert(ancestor.name).inserted else {
          throw ModelError(.inheritanceCycle(entity: ancestor.name), line: ancestor.line)
        }
      }
      guard lineageNames.count <= Limits.ancestors + 1 else {
        // Name the entity with one ancestor too many, which may not be the first one in the file.
        let first = Array(lineage(of: entity))[lineageNames.count - Limits.ancestors - 2]
        throw ModelError(.tooManyAncestors(entity: first.name), line: first.line)
      }
    }
  }

  /// Checks the names of all properties, and the destinations and inverses of relationships.
  private func checkProperties() throws(ModelError) {
    // Whether the property is a relationship.
    var properties: [Property: Bool] = [:]
    for entity in entities {
      let declared =
        entity.attributes.map { ($0.name, $0.line, false) }
        + entity.relationships.map { ($0.name, $0.line, true) }
      for (name, line, isRelationship) in declared {
        let property = Property(entity: entity.name, name: name)
        guard properties.updateValue(isRelationship, forKey: property) == nil else {
          throw ModelError(.duplicateProperty(name, entity: entity.name), line: line)
        }
      }
    }
    /// Returns nil if the entity neither declares nor inherits a property of that name.
    func isRelationship(_ name: String, of entity: Entity) -> Bool? {
      for ancestor in lineage(of: entity) {
        if let found = properties[Property(entity: ancestor.name, name: name)] { return found }
      }
      return nil
    }
    for entity in entities {
      if let parent = entity.parent.flatMap({ self[$0] }) {
        let declared =
          entity.attributes.map { ($0.name, $0.line) }
          + entity.relationships.map { ($0.name, $0.line) }
        for (name, line) in declared where isRelationship(name, of: parent) != nil {
          throw ModelError(.duplicateProperty(name, entity: entity.name), line: line)
        }
      }
      for relationship in entity.relationships {
        guard let destination = self[relationship.destination] else {
          throw ModelError(
            .unknownDestination(
              relationship.destination, relationship: relationship.name, entity: entity.name),
            line: relationship.line)
        }
        if let inverse = relationship.inverse, isRelationship(inverse, of: destination) != true {
          throw ModelError(
            .unknownInverse(inverse, relationship: relationship.name, entity: entity.name),
            line: relationship.line)
        }
      }
    }
  }

  private func checkConfigurations() throws(ModelError) {
    var names: Set<String> = []
    for configuration in configurations {
      guard names.insert(configuration.name).inserted else {
        throw ModelError(.duplicateConfiguration(configuration.name), line: configuration.line)
      }
      for member in configuration.members where indexes[member] == nil {
        throw ModelError(
          .unknownMember(member, configuration: configuration.name), line: configuration.line)
      }
    }
  }
}

/// The name of a property, and that of the entity that declares it.
struct Property: Hashable {
  let entity: String
  let name: String
}

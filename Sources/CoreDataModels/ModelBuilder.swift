/// Builds a model from the elements of its file.
///
/// There is no published description of the format. This reads what Xcode 11 to 16 write; elements
/// that do not matter for CloudKit are skipped.
final class ModelBuilder: XMLElementHandler {
  /// An element that is open.
  private enum Open {
    case model, entity, constraints, constraint, configuration
    /// An element of no interest, and what it contains.
    case skipped
  }

  private var open: [Open] = []
  private var entities: [DataModel.Entity] = []
  private var configurations: [DataModel.Configuration] = []
  private var isUsedWithCloudKit = false

  func start(_ element: XMLElement) throws(ModelError) {
    switch (open.last, element.name) {
    case (nil, "model"):
      isUsedWithCloudKit = try element.flag("usedWithCloudKit")
      open.append(.model)
    case (nil, _):
      throw ModelError(.root(String(element.name.prefix(100))), line: element.line)
    case (.model, "entity"):
      entities.append(try DataModel.Entity(element))
      open.append(.entity)
    case (.model, "configuration"):
      configurations.append(try DataModel.Configuration(element))
      open.append(.configuration)
    case (.entity, "attribute"):
      entities[entities.count - 1].attributes.append(try DataModel.Attribute(element))
      open.append(.skipped)
    case (.entity, "relationship"):
      entities[entities.count - 1].relationships.append(try DataModel.Relationship(element))
      open.append(.skipped)
    case (.entity, "uniquenessConstraints"): open.append(.constraints)
    case (.constraints, "uniquenessConstraint"):
      entities[entities.count - 1].uniquenessConstraints.append(
        DataModel.UniquenessConstraint(attributes: [], line: element.line))
      open.append(.constraint)
    case (.constraint, "constraint"):
      let name = try element.name(of: "value")
      let entity = entities.count - 1
      let constraint = entities[entity].uniquenessConstraints.count - 1
      entities[entity].uniquenessConstraints[constraint].attributes.append(name)
      open.append(.skipped)
    case (.configuration, "memberEntity"):
      configurations[configurations.count - 1].members.append(try element.name(of: "name"))
      open.append(.skipped)
    default: open.append(.skipped)
    }
  }

  func text(_ part: String) {}

  func end() { open.removeLast() }

  /// The model, once all of its file was read.
  func model() throws(ModelError) -> DataModel {
    try DataModel(
      entities: entities, configurations: configurations, isUsedWithCloudKit: isUsedWithCloudKit)
  }
}

extension DataModel.Entity {
  fileprivate init(_ element: XMLElement) throws(ModelError) {
    self.init(
      name: try element.name(of: "name"), parent: try element.optionalName(of: "parentEntity"),
      isAbstract: try element.flag("isAbstract"), line: element.line)
  }
}

extension DataModel.Attribute {
  fileprivate init(_ element: XMLElement) throws(ModelError) {
    let type = try element.value(of: "attributeType", default: DataModel.AttributeType.undefined)
    self.init(
      name: try element.name(of: "name"), type: type, isOptional: try element.flag("optional"),
      hasDefault: element.hasDefault(of: type), isTransient: try element.flag("transient"),
      allowsExternalStorage: try element.flag("allowsExternalBinaryDataStorage"),
      allowsCloudEncryption: try element.flag("allowsCloudEncryption"), line: element.line)
  }
}

extension DataModel.Relationship {
  fileprivate init(_ element: XMLElement) throws(ModelError) {
    self.init(
      name: try element.name(of: "name"), destination: try element.name(of: "destinationEntity"),
      inverse: try element.optionalName(of: "inverseName"),
      isOptional: try element.flag("optional"), isToMany: try element.flag("toMany"),
      isOrdered: try element.flag("ordered"),
      deletionRule: try element.value(of: "deletionRule", default: .nullify), line: element.line)
  }
}

extension DataModel.Configuration {
  fileprivate init(_ element: XMLElement) throws(ModelError) {
    self.init(
      name: try element.name(of: "name"),
      isUsedWithCloudKit: try element.flag("usedWithCloudKit"), line: element.line)
  }
}

extension XMLElement {
  /// The value of an attribute that is a name.
  fileprivate func name(of attribute: String) throws(ModelError) -> String {
    guard let name = try optionalName(of: attribute) else {
      throw ModelError(.missing(attribute: attribute, element: name), line: line)
    }
    return name
  }

  /// The value of an attribute that is a name; nil if it is missing or empty.
  fileprivate func optionalName(of attribute: String) throws(ModelError) -> String? {
    guard let name = attributes[attribute], !name.isEmpty else { return nil }
    guard name.utf8.count <= DataModel.Limits.nameBytes else {
      throw ModelError(.nameTooLong, line: line)
    }
    return name
  }

  /// The value of an attribute that says yes or no; false if it is missing.
  fileprivate func flag(_ attribute: String) throws(ModelError) -> Bool {
    switch attributes[attribute] {
    case nil, "NO", "false": false
    case "YES", "true": true
    case let value?: throw invalid(value, of: attribute)
    }
  }

  /// The value of an attribute that is one of several words.
  fileprivate func value<Value: RawRepresentable<String>>(
    of attribute: String, default: Value
  ) throws(ModelError) -> Value {
    guard let word = attributes[attribute] else { return `default` }
    guard let value = Value(rawValue: word) else { throw invalid(word, of: attribute) }
    return value
  }

  private func invalid(_ value: String, of attribute: String) -> ModelError {
    let value = String(value.prefix(100))
    return ModelError(.invalid(value: value, attribute: attribute, element: name), line: line)
  }

  /// Whether an attribute of an entity has a default value.
  ///
  /// Xcode writes `defaultValueString` or `defaultDateTimeInterval`. Only a string can have the
  /// empty one as its default value.
  fileprivate func hasDefault(of type: DataModel.AttributeType) -> Bool {
    attributes.contains { key, value in
      key.hasPrefix("default") && (type == .string || !value.isEmpty)
    }
  }
}

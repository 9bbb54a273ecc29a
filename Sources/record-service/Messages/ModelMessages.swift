import CoreDataModels

/// The help and the output of the commands for Core Data models.
enum ModelMessages {
  // MARK: Help

  static let lint = "Find what CloudKit mirroring does not support in Core Data models."
  static let lintDiscussion = """
    Reports what keeps NSPersistentCloudKitContainer and SwiftData from loading a store that is \
    mirrored to CloudKit, in the groups and words of their error 134060, with the line in the file \
    and what to change. Models and configurations that are not marked "Used with CloudKit" are not \
    checked. The exit status is 1 if there are findings; without any, nothing is printed.
    """
  static let lintPaths = """
    A .xcdatamodeld with all its versions, a .xcdatamodel, or the XML file contents of one; \
    repeatable.
    """
  static let lintCurrent = "Check only the current version of each .xcdatamodeld."
  static let generate = "Print the schema of the records to which a Core Data model is mirrored."
  static let generateDiscussion = """
    The schema has the types and fields that initializeCloudKitSchema creates. Import it with \
    `schema import`.
    """
  static let generatePath = """
    A .xcdatamodeld, of which the current version is used, a .xcdatamodel, or the XML file contents \
    of one.
    """

  // MARK: Output

  /// Notes on the parts of a model that are not marked "Used with CloudKit": they were not checked
  /// or, if `isGenerated`, are not in the schema.
  static func notes(
    on use: DataModel.CloudKitUse, of path: String, isGenerated: Bool = false
  ) -> [String] {
    let consequence = isGenerated ? "not in the schema" : "not checked"
    if use.parts.isEmpty {
      return ["\(path): the model is not marked \"Used with CloudKit\": it was not checked."]
    }
    var notes = use.unusedConfigurations.map {
      "\(path): the configuration '\($0)' is not marked \"Used with CloudKit\": its entities are "
        + "\(consequence)."
    }
    if use.unusedEntities > 0 {
      notes.append(
        "\(path): the default configuration is not marked \"Used with CloudKit\": entities that "
          + "are in no other configuration (\(use.unusedEntities)) are \(consequence).")
    }
    return notes
  }

  static func found(_ findings: Int, models: Int) -> String {
    "CloudKit mirroring does not support \(models == 1 ? "this model" : "these models") "
      + "(findings: \(findings))."
  }
}

extension CloudKitRule {
  /// The words with which Core Data introduces the violations.
  var heading: String {
    switch self {
    case .inverse:
      "CloudKit integration requires that all relationships have an inverse, the following do not:"
    case .unordered:
      "CloudKit integration does not support ordered relationships. The following relationships "
        + "are marked ordered:"
    case .optionalAttribute:
      "CloudKit integration requires that all attributes be optional, or have a default value set. "
        + "The following attributes are marked non-optional but do not have a default value:"
    case .optionalRelationship:
      "CloudKit integration requires that all relationships be optional, the following are not:"
    case .attributeType:
      "CloudKit integration does not support all attribute types. The following entities have "
        + "attributes of an unsupported type:"
    case .destination:
      // Core Data's own message lacks this word, too.
      "CloudKit integration does not allow relationships to objects that aren't sync'd. The "
        + "following relationships have destination entities that not in the specified "
        + "configuration."
    case .deletionRule:
      "The following relationships are configured with unsupported delete rules:"
    case .uniqueness:
      "CloudKit integration does not support unique constraints. The following entities are "
        + "constrained:"
    }
  }
}

extension CloudKitFinding {
  /// The finding as a line: the place in the file, entity and property, and what to change.
  func line(in file: ModelFile) -> String {
    "\(file.path):\(line): \(entity): \(properties.joined(separator: ", ")): \(fix.phrase)"
  }
}

extension CloudKitFinding.Fix {
  fileprivate var phrase: String {
    switch self {
    case .chooseInverse(let name, let destination):
      "choose '\(name)' of \(destination) as its inverse"
    case .addInverse(let destination):
      "add a relationship to \(destination) that leads back, and choose it as the inverse"
    case .removeOrder: "make it unordered, and keep the order in an attribute"
    case .makeOptionalOrAddDefault: "make it optional, or give it a default value"
    case .makeOptional: "make it optional"
    case .chooseType(let type): "choose a type other than \(type.rawValue)"
    case .addDestination(let destination, let configuration?):
      "add \(destination) to the configuration '\(configuration)', or refer to it by an attribute"
    case .addDestination(let destination, nil):
      "store \(destination) in the default configuration, or refer to it by an attribute"
    case .chooseDeletionRule: "choose another deletion rule than Deny, such as Nullify"
    case .removeConstraint: "remove the constraint, and merge duplicates in the app"
    }
  }
}

extension MirroringError {
  /// The sentences, one a line.
  func sentence(on file: ModelFile) -> String {
    switch self {
    case .notUsedWithCloudKit:
      "\(file.path): the model is not marked \"Used with CloudKit\", so it is not mirrored."
    case .unsupported(let findings):
      """
      CloudKit mirroring does not support this model (`schema lint` groups the problems by rule):
      \(findings.map { $0.line(in: file) }.joined(separator: "\n"))
      """
    case .name(let name, let entity, let line):
      "\(file.path):\(line): \(entity): names of record types and fields have only ASCII letters, "
        + "digits and _, and at most 255 of them including the prefix CD_ and the suffix _ckAsset: "
        + "'\(name)'."
    case .fieldConflict(let field, let entity, let property, let line):
      "\(file.path):\(line): \(entity): the field '\(field)' for '\(property)' is already used "
        + "by another property or by mirroring; rename the property."
    }
  }
}

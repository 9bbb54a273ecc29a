/// Something in a model that mirroring to CloudKit does not support.
public struct CloudKitFinding: Hashable, Sendable {
  public let rule: CloudKitRule
  /// The entity that declares the properties. Core Data also names those that inherit them.
  public let entity: String
  /// The attribute or relationship, or the attributes of a uniqueness constraint.
  public let properties: [String]
  /// The line in the file, one-based.
  public let line: Int
  public let fix: Fix

  /// What to change in the model.
  public enum Fix: Hashable, Sendable {
    /// Choose this relationship of the destination as the inverse.
    case chooseInverse(String, destination: String)
    /// Add a relationship to the destination, and choose it as the inverse.
    case addInverse(destination: String)
    /// Make the relationship unordered.
    case removeOrder
    /// Make the attribute optional, or give it a default value.
    case makeOptionalOrAddDefault
    /// Make the relationship optional.
    case makeOptional
    /// Choose another type than this one.
    case chooseType(DataModel.AttributeType)
    /// Add the destination to the configuration (nil: the default one), or remove the relationship.
    case addDestination(String, configuration: String?)
    /// Choose another deletion rule.
    case chooseDeletionRule
    /// Remove the constraint.
    case removeConstraint
  }
}

/// A rule of mirroring to CloudKit, in the order in which Core Data reports violations.
///
/// Source: the section "Create a Data Model" of Apple's article "Creating a Core Data Model for
/// CloudKit", and the reasons of error 134060 of NSCocoaErrorDomain, with which
/// NSPersistentCloudKitContainer refuses to load a store.
public enum CloudKitRule: CaseIterable, Hashable, Sendable {
  /// All relationships have an inverse.
  case inverse
  /// No relationship is ordered.
  case unordered
  /// All attributes are optional or have a default value.
  case optionalAttribute
  /// All relationships are optional.
  case optionalRelationship
  /// No attribute has the type Undefined or Object ID.
  case attributeType
  /// All relationships lead to entities of the same configuration.
  case destination
  /// No relationship has the deletion rule Deny.
  case deletionRule
  /// There are no uniqueness constraints.
  case uniqueness
}

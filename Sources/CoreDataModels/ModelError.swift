/// A file or folder that is not a Core Data model, or not a valid one.
public struct ModelError: Error, Hashable, Sendable {
  /// The path; nil if the model was not read from a file.
  public internal(set) var path: String?
  /// The line in the file, one-based; nil if the problem is not in one line.
  public let line: Int?
  public let problem: Problem

  init(_ problem: Problem, path: String? = nil, line: Int? = nil) {
    self.path = path
    self.line = line
    self.problem = problem
  }

  public enum Problem: Hashable, Sendable {
    // MARK: Files

    /// The file cannot be read. The value is an `errno`.
    case unreadable(Int32)
    /// The folder is neither a `.xcdatamodel` nor a `.xcdatamodeld`.
    case notAModel
    /// The `.xcdatamodeld` has several versions, and no file that names the current one.
    case noCurrentVersion
    /// The file `.xccurrentversion` does not name a version, or names one that does not exist.
    case unknownCurrentVersion(String?)

    // MARK: XML

    /// The file is larger than `DataModel.Limits.fileBytes`.
    case tooLarge
    /// The file has a document type declaration, in which XML entities could be defined.
    case documentType
    /// The elements are nested more deeply than `DataModel.Limits.nesting`.
    case nesting
    /// The file is not well-formed XML.
    case malformed(XMLFault)

    // MARK: Models

    /// The root element is not `model`.
    case root(String)
    /// An element lacks an XML attribute, or the value is empty.
    case missing(attribute: String, element: String)
    /// An XML attribute has a value that Xcode does not write.
    case invalid(value: String, attribute: String, element: String)
    /// The name is longer than `DataModel.Limits.nameBytes`.
    case nameTooLong
    /// Two entities have the same name.
    case duplicateEntity(String)
    /// Two configurations have the same name.
    case duplicateConfiguration(String)
    /// An entity declares or inherits another property with the same name.
    case duplicateProperty(String, entity: String)
    /// The model has no entity with the name of the parent entity.
    case unknownParent(String, entity: String)
    /// The entity is its own ancestor.
    case inheritanceCycle(entity: String)
    /// An entity has more than `DataModel.Limits.ancestors` ancestors.
    case tooManyAncestors(entity: String)
    /// The model has no entity with the name of the destination of the relationship.
    case unknownDestination(String, relationship: String, entity: String)
    /// The destination entity neither declares nor inherits the inverse relationship.
    case unknownInverse(String, relationship: String, entity: String)
    /// A configuration contains an entity that does not exist.
    case unknownMember(String, configuration: String)
  }

  /// Why a file is not well-formed XML.
  public enum XMLFault: Hashable, Sendable {
    /// The file is empty, or has no element.
    case noElement
    /// The file ends in the middle of a tag, a character or an element.
    case unfinished
    /// The end tag does not match the start tag.
    case mismatchedTag
    /// A tag has the same attribute twice.
    case duplicateAttribute
    /// There is something after the root element.
    case junk
    /// A reference to an entity that XML does not define.
    case undefinedEntity
    /// The encoding that the file names is unknown, or not its own. Xcode writes UTF-8.
    case encoding
    /// Bytes that are not valid in the encoding, or characters that are not allowed where they are.
    case invalidCharacters
    /// Another fault, with its code of expat.
    case other(UInt32)
  }
}

import CoreDataModels
import Glibc

extension ModelError {
  /// The error as a sentence that begins with its place: `Trips/contents:3: …`.
  var sentence: String {
    let place = [path, line.map(String.init)].compactMap(\.self).joined(separator: ":")
    return place.isEmpty ? "\(problem.phrase)." : "\(place): \(problem.phrase)."
  }
}

extension ModelError.Problem {
  fileprivate var phrase: String {
    switch self {
    case .unreadable(let code): "cannot be read: \(String(cString: strerror(code)))"
    case .notAModel: "the folder is neither a .xcdatamodel nor a .xcdatamodeld"
    case .noCurrentVersion:
      "the model has several versions, and no file .xccurrentversion that names the current one"
    case .unknownCurrentVersion(nil): "the file does not name the current version"
    case .unknownCurrentVersion(let name?): "there is no version '\(name)'"
    case .tooLarge: "the file is larger than \(DataModel.Limits.fileBytes >> 20) MB"
    case .documentType: "a model has no document type (<!DOCTYPE …>) and defines no entities"
    case .nesting: "elements are nested more than \(DataModel.Limits.nesting) deep"
    case .malformed(let fault): fault.phrase
    case .root(let name): "the root element is '\(name)' where a model has 'model'"
    case .missing(let attribute, let element): "<\(element)> has no '\(attribute)'"
    case .invalid(let value, let attribute, let element):
      "<\(element)> has an unknown '\(attribute)': '\(value)'"
    case .nameTooLong: "a name is longer than \(DataModel.Limits.nameBytes) bytes"
    case .duplicateEntity(let name): "there are two entities '\(name)'"
    case .duplicateConfiguration(let name): "there are two configurations '\(name)'"
    case .duplicateProperty(let name, let entity): "\(entity) has two properties '\(name)'"
    case .unknownParent(let parent, let entity):
      "\(entity) inherits from '\(parent)', which does not exist"
    case .inheritanceCycle(let entity): "\(entity) inherits from itself"
    case .tooManyAncestors(let entity):
      "\(entity) inherits from more than \(DataModel.Limits.ancestors) entities"
    case .unknownDestination(let destination, let relationship, let entity):
      "'\(relationship)' of \(entity) leads to '\(destination)', which does not exist"
    case .unknownInverse(let inverse, let relationship, let entity):
      "'\(relationship)' of \(entity) has the inverse '\(inverse)', which does not exist"
    case .unknownMember(let member, let configuration):
      "the configuration '\(configuration)' has the entity '\(member)', which does not exist"
    }
  }
}

extension ModelError.XMLFault {
  fileprivate var phrase: String {
    switch self {
    case .noElement: "the file has no XML element"
    case .unfinished: "the file ends in the middle of something"
    case .mismatchedTag: "the end tag does not match the start tag"
    case .duplicateAttribute: "a tag has an attribute twice"
    case .junk: "there is something after the root element"
    case .undefinedEntity: "a reference to an entity that is not defined"
    case .encoding: "the encoding is unknown; Xcode writes UTF-8"
    case .invalidCharacters: "bytes that are not UTF-8, or a character that is not allowed here"
    case .other(let code): "this is not well-formed XML (expat: \(code))"
    }
  }
}

import CExpat
import Glibc

/// The start tag of an XML element.
struct XMLElement {
  let name: String
  let attributes: [String: String]
  /// The line in the file, one-based.
  let line: Int
}

/// Receives the elements of a document while it is read, in the order of the document.
protocol XMLElementHandler: AnyObject {
  func start(_ element: XMLElement) throws(ModelError)
  /// Receives a part of the text in an element.
  func text(_ part: String)
  func end()
}

/// Reads XML with expat. Memory and time are bounded by the limits of `DataModel.Limits`.
///
/// A document type with definitions is refused when it begins, so that no entity is ever defined.
final class XMLReader {
  /// Fills a buffer from the beginning, and returns the number of bytes; 0 at the end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws(ModelError) -> Int

  private let parser: XML_Parser
  private let handler: any XMLElementHandler
  private let allowsDocumentType: Bool
  private var depth = 0
  private var error: ModelError?

  /// The size of the parts in which the document is read. Parts that are smaller would let expat
  /// scan the beginning of a long tag again and again.
  private static let chunk = 1 << 20

  /// Reads a document.
  ///
  /// - Parameter allowsDocumentType: whether there may be a document type without definitions, as
  ///   in property lists.
  static func read(
    _ source: Source, allowsDocumentType: Bool = false, to handler: any XMLElementHandler
  ) throws(ModelError) {
    guard let parser = XML_ParserCreate(nil) else { throw ModelError(.unreadable(ENOMEM)) }
    defer { XML_ParserFree(parser) }
    let reader = XMLReader(parser, handler, allowsDocumentType: allowsDocumentType)
    try withExtendedLifetime(reader) { () throws(ModelError) in try reader.read(source) }
  }

  private init(
    _ parser: XML_Parser, _ handler: any XMLElementHandler, allowsDocumentType: Bool
  ) {
    self.parser = parser
    self.handler = handler
    self.allowsDocumentType = allowsDocumentType
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { XMLReader.reader($0)?.started($1, $2) },
      { data, _ in XMLReader.reader(data)?.ended() })
    XML_SetCharacterDataHandler(parser) { XMLReader.reader($0)?.found($1, count: $2) }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, hasDefinitions in
      XMLReader.reader(data)?.foundDocumentType(hasDefinitions: hasDefinitions != 0)
    }
    XML_SetSkippedEntityHandler(parser) { data, _, _ in
      XMLReader.reader(data)?.fail(.malformed(.undefinedEntity))
    }
  }

  private static func reader(_ data: UnsafeMutableRawPointer?) -> XMLReader? {
    data.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func read(_ source: Source) throws(ModelError) {
    var total = 0
    while true {
      guard let buffer = XML_GetBuffer(parser, Int32(Self.chunk)) else {
        throw ModelError(.unreadable(ENOMEM))
      }
      let count = try source(UnsafeMutableRawBufferPointer(start: buffer, count: Self.chunk))
      total += count
      guard total <= DataModel.Limits.fileBytes else { throw ModelError(.tooLarge) }
      let status = XML_ParseBuffer(parser, Int32(count), count == 0 ? 1 : 0)
      if let error { throw error }
      guard status == XML_STATUS_OK else {
        throw ModelError(.malformed(fault), line: line)
      }
      if count == 0 { return }
    }
  }

  private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

  private func fail(_ problem: ModelError.Problem) {
    fail(ModelError(problem, line: line))
  }

  private func fail(_ error: ModelError) {
    guard self.error == nil else { return }
    self.error = error
    XML_StopParser(parser, 0)
  }

  // MARK: Calls of expat

  private func started(
    _ name: UnsafePointer<XML_Char>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    guard error == nil, let name, var next = attributes else { return }
    depth += 1
    guard depth <= DataModel.Limits.nesting else { return fail(.nesting) }
    var values: [String: String] = [:]
    while let key = next[0], let value = next[1] {
      values[String(cString: key)] = String(cString: value)
      next += 2
    }
    do {
      try handler.start(XMLElement(name: String(cString: name), attributes: values, line: line))
    } catch {
      fail(error)
    }
  }

  private func ended() {
    guard error == nil else { return }
    depth -= 1
    handler.end()
  }

  private func found(_ text: UnsafePointer<XML_Char>?, count: Int32) {
    guard error == nil, let text else { return }
    text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
      handler.text(
        String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self))
    }
  }

  private func foundDocumentType(hasDefinitions: Bool) {
    if hasDefinitions || !allowsDocumentType { fail(.documentType) }
  }

  /// The fault for which expat refused the document.
  private var fault: ModelError.XMLFault {
    let code = XML_GetErrorCode(parser)
    return switch code {
    case XML_ERROR_NO_ELEMENTS: .noElement
    case XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR: .unfinished
    case XML_ERROR_UNCLOSED_CDATA_SECTION: .unfinished
    case XML_ERROR_TAG_MISMATCH: .mismatchedTag
    case XML_ERROR_DUPLICATE_ATTRIBUTE: .duplicateAttribute
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: .junk
    case XML_ERROR_UNDEFINED_ENTITY: .undefinedEntity
    case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING: .encoding
    case XML_ERROR_INVALID_TOKEN, XML_ERROR_BAD_CHAR_REF, XML_ERROR_SYNTAX: .invalidCharacters
    default: .other(code.rawValue)
    }
  }
}

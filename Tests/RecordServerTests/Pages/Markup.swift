import HTTPTypes
import Text

@testable import RecordServer

/// Parses a page strictly: tags must be among those that the pages use and be closed in order, and
/// text must not contain a bare `<`, `>` or `&`. A browser finds the same elements in such a page.
struct Markup {
  struct Element: Equatable {
    var name: String
    var attributes: [String: String]
    var text = ""
  }

  enum Fault: Error, Equatable {
    case doctype
    case tag(String)
    case unbalanced(String)
    case bare(String)
    case duplicate(String)
  }

  private(set) var elements: [Element] = []
  /// All text outside the style sheet, without entities, and with a line break before each heading,
  /// paragraph and button.
  private(set) var text = ""

  private static let empty: Set<String> = ["br", "input", "meta"]
  private static let known: Set<String> = [
    "html", "head", "meta", "title", "style", "body", "main", "nav", "h1", "p", "a", "form",
    "label", "input", "button", "br", "span", "strong", "bdi", "code",
  ]

  init(_ html: String) throws {
    let start = "<!doctype html>\n"
    guard html.hasPrefix(start) else { throw Fault.doctype }
    var rest = html.dropFirst(start.count)
    var open: [Int] = []
    while !rest.isEmpty {
      let text = rest.prefix { $0 != "<" }
      rest = rest.dropFirst(text.count)
      let plain = try Self.unescaped(String(text))
      if let last = open.last {
        if elements[last].name != "style" { self.text += plain }
        for index in open { elements[index].text += plain }
      } else if !plain.allSatisfy(\.isWhitespace) {
        throw Fault.bare(plain)
      }
      guard !rest.isEmpty else { break }
      guard let end = rest.firstIndex(of: ">") else { throw Fault.tag(String(rest)) }
      let tag = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard let last = open.popLast(), elements[last].name == tag.dropFirst() else {
          throw Fault.unbalanced(String(tag))
        }
      } else {
        let element = try Self.element(tag)
        elements.append(element)
        if !Self.empty.contains(element.name) { open.append(elements.count - 1) }
        if ["p", "h1", "button"].contains(element.name) { self.text += "\n" }
      }
    }
    guard open.isEmpty else { throw Fault.unbalanced(elements[open[0]].name) }
  }

  private static func element(_ tag: Substring) throws -> Element {
    let name = String(tag.prefix { $0.isLetter || $0.isNumber })
    guard known.contains(name) else { throw Fault.tag(String(tag)) }
    var element = Element(name: name, attributes: [:])
    var rest = tag.dropFirst(name.count)
    while let match = rest.prefixMatch(of: #/ ([a-z\-]+)(?:="([^"<>]*)")?/#) {
      let attribute = String(match.output.1)
      guard element.attributes[attribute] == nil else { throw Fault.duplicate(String(tag)) }
      element.attributes[attribute] = try unescaped(String(match.output.2 ?? ""))
      rest = rest[match.range.upperBound...]
    }
    guard rest.isEmpty else { throw Fault.tag(String(tag)) }
    return element
  }

  private static func unescaped(_ text: String) throws -> String {
    guard !text.contains(">") else { throw Fault.bare(text) }
    var result = ""
    var rest = text[...]
    while let ampersand = rest.firstIndex(of: "&") {
      result += rest[..<ampersand]
      let entities = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
      let here = rest[ampersand...]
      guard let (entity, character) = entities.first(where: { here.hasPrefix($0.key) })
      else { throw Fault.bare(text) }
      result += character
      rest = rest[ampersand...].dropFirst(entity.count)
    }
    return result + rest
  }

  func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

  /// The input field with this name.
  func field(_ name: String) -> Element? {
    all("input").first { $0.attributes["name"] == name }
  }
}

extension Page {
  func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

import Text

/// A piece of a page. It becomes text in one place, `rendered`, and so does what is escaped.
indirect enum HTML: Hashable, Sendable, ExpressibleByStringLiteral {
  case text(String)
  case element(String, [Attribute], [HTML])
  /// The style sheet, the only thing that stands in a page as it is.
  case style
  case several([HTML])

  struct Attribute: Hashable, Sendable {
    var name: String
    /// Nil where its presence says all.
    var value: String?
  }

  init(stringLiteral text: String) { self = .text(text) }

  static let nothing = HTML.several([])

  /// Elements that hold nothing and have no end tag.
  private static let empty: Set<String> = ["br", "input", "meta"]

  var rendered: String {
    var text = ""
    render(into: &text)
    return text
  }

  private func render(into result: inout String) {
    switch self {
    case .text(let text): result += Self.escaped(text)
    case .style: result += "<style>\(StyleSheet.text)</style>"
    case .several(let pieces): for piece in pieces { piece.render(into: &result) }
    case .element(let name, let attributes, let content):
      result += "<\(name)"
      for attribute in attributes {
        result += " \(attribute.name)"
        if let value = attribute.value { result += "=\"\(Self.escaped(value))\"" }
      }
      result += ">"
      guard !Self.empty.contains(name) else { return }
      for piece in content { piece.render(into: &result) }
      result += "</\(name)>"
    }
  }

  /// Text as it stands between tags and between the quotation marks of an attribute, without
  /// control characters and without what would turn the text around it.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.displayable.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension HTML {
  /// - Parameter attributes: those whose value is nil are left out.
  static func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: HTML...
  ) -> HTML {
    .element(
      name,
      attributes.compactMap { entry in
        entry.value.map { Attribute(name: entry.key, value: $0) }
      }, content)
  }

  /// Adds attributes that need no value.
  func marked(_ names: String...) -> HTML {
    guard case .element(let name, let attributes, let content) = self else { return self }
    return .element(
      name, attributes + names.map { Attribute(name: $0, value: nil) }, content)
  }

  /// A name that others chose, kept apart from the direction of the text around it.
  static func name(_ text: String) -> HTML { tag("bdi", [:], .text(text)) }
}

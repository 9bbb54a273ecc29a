import Text

/// A fragment of HTML. Only `rendered` converts it to a string, so that all escaping happens there.
indirect enum HTML: Hashable, Sendable, ExpressibleByStringLiteral {
  case text(String)
  case element(String, [Attribute], [HTML])
  /// The `style` element with the style sheet, the only content that is not escaped.
  case style
  /// Fragments in sequence.
  case several([HTML])

  /// An attribute of an element.
  struct Attribute: Hashable, Sendable {
    var name: String
    /// The value; nil for an attribute without a value, such as `required`.
    var value: String?
  }

  init(stringLiteral text: String) { self = .text(text) }

  /// An empty fragment.
  static let nothing = HTML.several([])

  /// The elements that cannot have content and have no end tag.
  private static let empty: Set<String> = ["br", "input", "meta"]

  /// The fragment as a string, with all text escaped.
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

  /// Returns text escaped for the content of an element or a quoted attribute. Control characters
  /// are removed, and so are bidirectional controls that would affect the text around it.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.sanitizedForTerminal.unicodeScalars {
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
  /// Returns an element.
  ///
  /// - Parameter attributes: the attributes; those whose value is nil are omitted.
  static func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: HTML...
  ) -> HTML {
    .element(
      name,
      attributes.compactMap { entry in
        entry.value.map { Attribute(name: entry.key, value: $0) }
      }, content)
  }

  /// Returns the element with additional attributes that have no value.
  func marked(_ names: String...) -> HTML {
    guard case .element(let name, let attributes, let content) = self else { return self }
    return .element(
      name, attributes + names.map { Attribute(name: $0, value: nil) }, content)
  }

  /// Returns a name that users or apps have chosen, in an element that isolates its writing
  /// direction from the text around it.
  static func name(_ text: String) -> HTML { tag("bdi", [:], .text(text)) }
}

/// The HTML of the page that the browser shows after the sign-in. It has no scripts and no external
/// resources.
enum SignInHTML {
  static func page(_ page: SignInCallback.Page) -> String {
    let language = page.language.map { " lang=\"\(escaped($0))\"" } ?? ""
    return """
      <!doctype html>
      <html\(language)><head><meta charset="utf-8"><title>\(escaped(page.title))</title></head>
      <body><h1>\(escaped(page.title))</h1><p>\(escaped(page.sentence))</p></body></html>

      """
  }

  /// Returns text with the special characters of HTML escaped.
  static func escaped(_ text: String) -> String {
    var html = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      default: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }
}

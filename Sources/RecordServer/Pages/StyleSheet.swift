import Crypto
import FoundationEssentials

/// The style sheet of the pages. It uses the browser's own fonts and colours and fits narrow
/// screens.
enum StyleSheet {
  static let text = """
    :root{color-scheme:light dark}
    body{margin:0 auto;max-width:30rem;padding:1rem;line-height:1.5;font-family:sans-serif;\
    overflow-wrap:anywhere}
    h1{font-size:1.4rem;line-height:1.3}
    form p{margin:1rem 0}
    input:not([type=checkbox]){box-sizing:border-box;width:100%;padding:.5rem;font:inherit}
    button{padding:.6rem 1.2rem;font:inherit;font-weight:bold}
    .failure{border-left:.3rem solid #c22;padding:.2rem 0 .2rem .8rem;font-weight:bold}
    .hint{font-size:.9rem}
    .code{padding:.8rem;border:1px solid;user-select:all}
    """

  /// The source of the style sheet for a Content-Security-Policy: its hash, so that no other style
  /// is applied.
  static let source: String = {
    let hash = Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
    return "'sha256-\(hash)'"
  }()
}

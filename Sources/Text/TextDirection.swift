/// The direction of a line of text.
public enum TextDirection: String, Hashable, Codable, Sendable {
  case leftToRight = "ltr"
  case rightToLeft = "rtl"
}

extension [UInt8] {
  /// Returns random bytes for keys and IDs.
  public static func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
  }
}

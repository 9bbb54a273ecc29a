extension [UInt8] {
  /// Returns cryptographically secure random bytes (`SystemRandomNumberGenerator`).
  public static func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
  }
}

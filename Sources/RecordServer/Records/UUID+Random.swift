import FoundationEssentials

extension UUID {
  /// A random UUID. Foundation's initializer without parameters opens `/dev/urandom` each time.
  static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }
}

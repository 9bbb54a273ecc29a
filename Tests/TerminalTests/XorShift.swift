/// Marsaglia's xorshift64*, so that what a test tries is the same at every run.
struct XorShift: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter seed: not zero.
  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

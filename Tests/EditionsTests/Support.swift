import Editions

extension Edition {
  /// An edition of such bytes, which stay in memory to the end of the tests, as
  /// `init(info:lines:)` asks.
  init(bytes: some Collection<UInt8>) throws {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    try self.init(info: Edition.bundled.info, lines: UnsafeRawBufferPointer(copy))
  }

  init(text: String) throws {
    try self.init(bytes: text.utf8)
  }

  init(lines: [String]) throws {
    try self.init(text: lines.joined(separator: "\n") + "\n")
  }
}

/// SplitMix64, so that what a test tries is the same at every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

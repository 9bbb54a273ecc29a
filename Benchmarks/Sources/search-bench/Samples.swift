/// Times of the same thing done again and again.
struct Samples {
  private(set) var times: [Duration] = []

  mutating func measure<Result>(_ work: () -> Result) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    let result = work()
    times.append(clock.now - start)
    return result
  }

  mutating func append(_ other: Samples) { times += other.times }

  /// The smallest time that this share of all times does not exceed.
  func percentile(_ share: Double) -> Duration {
    precondition(!times.isEmpty, "nothing was measured")
    let rank = Int((Double(times.count) * share).rounded(.up))
    return times.sorted()[max(rank, 1) - 1]
  }
}

extension Duration {
  /// Milliseconds with three decimals.
  var milliseconds: String {
    let microseconds =
      Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    let decimals = String(microseconds % 1000)
    return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - decimals.count) + decimals
  }
}

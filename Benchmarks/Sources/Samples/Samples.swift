import Glibc

/// Times of the same thing done again and again.
public struct Samples {
  public private(set) var times: [Duration] = []

  public init() {}

  public mutating func measure<Result, Failure>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try work()
    times.append(clock.now - start)
    return result
  }

  /// The same without what was measured first.
  public var withoutFirst: Samples {
    var rest = self
    rest.times.removeFirst()
    return rest
  }

  public mutating func append(_ other: Samples) { times += other.times }

  /// Median, 99th percentile and maximum as columns.
  public var columns: [String] { [0.5, 0.99, 1].map { percentile($0).milliseconds } }

  /// The smallest time that this share of all times does not exceed.
  private func percentile(_ share: Double) -> Duration {
    precondition(!times.isEmpty, "nothing was measured")
    let rank = Int((Double(times.count) * share).rounded(.up))
    return times.sorted()[max(rank, 1) - 1]
  }
}

extension Duration {
  /// Milliseconds with three decimals.
  fileprivate var milliseconds: String {
    let microseconds =
      Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    let decimals = String(microseconds % 1000)
    return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - decimals.count) + decimals
  }
}

/// Ends the program with a message.
public func fail(_ message: String) -> Never {
  let line = message + "\n"
  write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}

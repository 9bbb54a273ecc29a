import Metrics
import NIOConcurrencyHelpers

/// Stores metrics, and writes them in the Prometheus text exposition format 0.0.4.
final class MetricsRegistry: MetricsFactory {
  /// A metric with one set of labels, in the form in which it is written.
  fileprivate struct Key: Hashable {
    let label: String
    let dimensions: String
  }

  private let series = NIOLockedValueBox<[Key: Series]>([:])

  private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind)
    -> Series
  {
    let key = Key(
      label: label,
      dimensions: dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ","))
    return series.withLockedValue { all in
      if let known = all[key] { return known }
      let made = Series(kind)
      all[key] = made
      return made
    }
  }

  private static func escaped(_ value: String) -> String {
    // Almost no value needs an escape sequence.
    let isPlain = value.utf8.allSatisfy { byte in
      byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\n")
    }
    guard !isPlain else { return value }
    return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
  }

  func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler { series(label, dimensions, .counter) }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { series(label, dimensions, aggregate ? .summary : .gauge) }

  func makeTimer(
    label: String, dimensions: [(String, String)]
  ) -> any TimerHandler { series(label, dimensions, .summary) }

  // Values remain when a handler is destroyed, because a counter must never decrease.
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  /// All metrics in the text format, ordered by name and labels.
  var text: String {
    let all = series.withLockedValue { $0 }.sorted {
      ($0.key.label, $0.key.dimensions) < ($1.key.label, $1.key.dimensions)
    }
    var text = ""
    var label: String?
    for (key, series) in all {
      if key.label != label { text += "# TYPE \(key.label) \(series.kind.rawValue)\n" }
      label = key.label
      let braces = key.dimensions.isEmpty ? "" : "{\(key.dimensions)}"
      let sum = Self.text(of: series.value.sum)
      switch series.kind {
      case .summary:
        text += "\(key.label)_sum\(braces) \(sum)\n"
        text += "\(key.label)_count\(braces) \(series.value.count)\n"
      case .counter, .gauge:
        text += "\(key.label)\(braces) \(sum)\n"
      }
    }
    return text
  }

  /// Returns a value as the text format writes it.
  private static func text(of value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}

/// One time series: a counter, a gauge, or a summary with its sum and count.
private final class Series: CounterHandler, RecorderHandler, TimerHandler {
  enum Kind: String {
    case counter, gauge, summary
  }

  let kind: Kind
  private let state = NIOLockedValueBox((sum: 0.0, count: 0))

  init(_ kind: Kind) {
    self.kind = kind
  }

  var value: (sum: Double, count: Int) { state.withLockedValue { $0 } }

  func increment(by amount: Int64) { add(Double(amount)) }

  func reset() { state.withLockedValue { $0 = (0, 0) } }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    if kind == .gauge { state.withLockedValue { $0 = (value, 1) } } else { add(value) }
  }

  /// Prometheus uses seconds as the unit of time.
  func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }

  private func add(_ value: Double) {
    state.withLockedValue { $0 = ($0.sum + value, $0.count + 1) }
  }
}

import Metrics
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct MetricsRegistryTests {
  @Test(arguments: [
    (0.0, "0"), (-3.0, "-3"), (0.5, "0.5"), (1e300, "1e+300"), (.nan, "NaN"), (.infinity, "+Inf"),
    (-.infinity, "-Inf"),
  ])
  func aGaugeCanHaveAnyValue(_ value: Double, _ text: String) {
    let registry = MetricsRegistry()
    Gauge(label: "level", factory: registry).record(value)
    #expect(registry.text == "# TYPE level gauge\nlevel \(text)\n")
  }

  @Test func countersAndTimersAreWritten() {
    let registry = MetricsRegistry()
    Counter(label: "a", dimensions: [("path", "x\"y")], factory: registry).increment(by: 2)
    Timer(label: "b", factory: registry).recordNanoseconds(1_500_000_000)
    #expect(
      registry.text == """
        # TYPE a counter
        a{path="x\\"y"} 2
        # TYPE b summary
        b_sum 1.5
        b_count 1

        """)
  }
}

/// All that a simulation does, as data: with nothing left to chance it can be made shorter.
struct Script: Sendable {
  let seed: UInt64
  let feed: ModelService.Feed
  let pageSize: Int
  /// By how many milliseconds the clock of each device is ahead.
  let clocks: [Int64]
  /// Which devices are signed in from the beginning.
  let signedIn: [Bool]
  /// Devices of before there were witnesses.
  var olderDevices: Set<Int> = []
  /// Whether the service knows marks from the beginning.
  var hasMarks = true
  /// Whether the service's random source goes back with its files.
  var isRandomPutBack = false
  var steps: [Step]
}

extension Script: CustomStringConvertible {
  var description: String {
    let devices = zip(clocks, signedIn).enumerated().map { number, device in
      "device \(number): clock \(device.0) ms ahead, \(device.1 ? "signed in" : "signed out")"
    }
    let lines =
      ["seed \(seed), feed \(feed), pages of \(pageSize)\(traits)"] + devices
      + steps.map(\.description)
    return lines.joined(separator: "\n")
  }

  private var traits: String {
    (hasMarks ? "" : ", a service without marks")
      + (isRandomPutBack ? ", its random source goes back" : "")
      + (olderDevices.isEmpty ? "" : ", older devices \(olderDevices.sorted())")
  }
}

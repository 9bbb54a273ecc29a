/// The complete course of a simulation. It has no randomness, so that it can be shortened.
struct Script: Sendable {
  let seed: UInt64
  let feed: ModelService.Feed
  let pageSize: Int
  /// The milliseconds by which the clock of each device is ahead.
  let clocks: [Int64]
  /// Whether each device is signed in from the beginning.
  let signedIn: [Bool]
  /// The devices with an older version of the reader, which sends no witnesses.
  var olderDevices: Set<Int> = []
  /// Whether the service has marks from the beginning.
  var hasMarks = true
  /// Whether a rollback of the service's files also resets its random source.
  var isRandomPutBack = false
  /// Whether the accounts have profiles, whose absence shows that an account was deleted. All
  /// devices then keep everything when they are asked.
  var hasProfiles = false
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
      + (hasProfiles ? ", accounts with profiles" : "")
      + (olderDevices.isEmpty ? "" : ", older devices \(olderDevices.sorted())")
  }
}

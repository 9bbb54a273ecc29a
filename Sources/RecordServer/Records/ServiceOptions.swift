import FoundationEssentials

/// How a record service is run.
public struct ServiceOptions: Sendable {
  /// What each account may use in each database; in a public one by what it created.
  public var quota = Usage(bytes: 1_000_000_000, records: 100_000)
  /// How many zones a database may have. As many deleted ones are remembered.
  public var zones = 1000
  /// How many subscriptions an account may have in a database.
  public var subscriptions = 100
  /// How long deletions stay in a feed, in milliseconds; nil for as long as there are no more
  /// of them than the quota has records. A token from before what was forgotten is expired.
  public var tombstoneLifetime: Int64?
  /// How long the marks of transactions are kept, in milliseconds. Much longer than deletions: by
  /// them a device that was away for months is told whether the service has lost what it knows.
  public var historyLifetime: Int64 = 400 * 86_400_000
  /// How many transactions of a zone have their marks kept, at most.
  public var historyLength = 100_000
  /// Gets what fired, after each change that is on the disk and before it is answered.
  /// It must not wait.
  public var onFirings: @Sendable ([Firing]) -> Void = { _ in }
  /// Drawn for each transaction, for the marks of its history: from the system's random source,
  /// not from a generator whose state a snapshot of the process would have.
  public var randomNumber: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  /// Makes a name for a record or a subscription that has none.
  public var newName: @Sendable () -> String = { UUID().uuidString }

  public init() {}
}

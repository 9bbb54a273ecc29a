import FoundationEssentials

/// The limits of a record service, and the functions that it calls.
public struct ServiceOptions: Sendable {
  /// The maximum usage of each account in each database. In a public database an account is charged
  /// for the records it created.
  public var quota = Usage(bytes: 1_000_000_000, records: 100_000)
  /// Whether a record is refused that lacks a field which the schema marks as required. CloudKit
  /// leaves this to clients.
  public var isStrictAboutRequiredFields = false
  /// The maximum number of zones in a database. Once there are twice as many including deleted
  /// ones, the rows of the zones that were deleted first are deleted.
  public var zones = 1000
  /// The maximum number of subscriptions of an account in a database.
  public var subscriptions = 100
  /// How long a change feed keeps tombstones, in milliseconds; nil to keep them until there are
  /// more of them than the quota has records. Removing a tombstone expires the sync tokens that
  /// were issued before that deletion.
  public var tombstoneLifetime: Int64?
  /// How long the marks of transactions are stored, in milliseconds. With its marks, a device that
  /// was offline for months can still find out whether the service has lost changes that the device
  /// knows.
  public var historyLifetime: Int64 = 400 * 86_400_000
  /// The maximum number of transactions of a zone, or of a database, whose marks are stored.
  public var historyLength = 100_000
  /// Called with the subscriptions that a request fires after its changes are committed and before
  /// the response is sent. It must not block its thread. It returns the number of notifications
  /// that it has queued.
  public var onFirings: @Sendable ([Firing]) async -> Int = { _ in 0 }
  /// Called if the notifications of a change may have been lost, because the database has failed
  /// after the change or while it was committed. It must not block.
  public var onNotificationLoss: @Sendable (NotificationLoss) -> Void = { _ in }
  /// Called with what a request used of the schema of a development environment, after it was
  /// carried out; nil to record nothing. It must not block. A look-up or query can call it several
  /// times, because the body of its transaction can run more than once.
  public var onSchemaUsage: (@Sendable (SchemaUsage) -> Void)?
  /// Returns a random number for the marks of a transaction. It must use the system's random
  /// source: a generator in memory would repeat its numbers after a snapshot of the process is
  /// restored.
  public var randomNumber: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  /// Returns a name for a record or a subscription that was created without one.
  public var newName: @Sendable () -> String = { UUID.random().uuidString }

  public init() {}
}

/// A feature of CloudKit Web Services that the record service does not have.
///
/// Requests for it get an error with the cause `ErrorCause.notServed(_:)` or, as part of a query,
/// `PredicateProblem.notServed(_:)`. Each missing feature has a case: the operator's help and the
/// tests use `allCases`.
public enum UnservedFeature: CaseIterable, Hashable, Sendable {
  /// Sharing: the shared database, `records/resolve`, `records/accept`, records of the type
  /// `cloudkit.share`, and the parameters of records and zones that ask for a share.
  case sharing
  /// `users/discover` and `users/lookup`, which find other users.
  case userLookup
  /// `assets/rereference`, which lets a record use an asset of another record.
  case assetRereference
  /// Queries by distance: the comparator NEAR and sorts with `relativeLocation`.
  case distance
  /// Queries for words: the comparators CONTAINS_ALL_TOKENS and CONTAINS_ANY_TOKENS.
  case tokenSearch
  /// Change feeds in reverse order: `reverse` of `changes/zone`.
  case reversedChanges
  /// Subscriptions of types other than `query` and `zone`.
  case otherSubscriptionTypes
  /// Pushes through Apple's servers (APNs): `tokens/register` with the token of a device.
  case applePush
}

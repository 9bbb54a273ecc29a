import CloudRecords

/// The history of a zone or of a database: the marks of its sequence numbers.
///
/// All numbers that a transaction assigned have its mark. Storage holds, for each transaction, the
/// last number and the mark.
public struct History: Hashable, Sendable {
  let owner: OwnerID
  /// The incarnation of the zone; `History.databaseZone` for the history of a database.
  let zone: Int64
  /// The last number that was assigned, and its mark.
  let newest: ChangeTag
  /// The greatest number whose mark was deleted.
  let lastDeletedMark: Int64
  /// The greatest number that was assigned before marks were introduced; the marks of these numbers
  /// are computed. -1 if there are none.
  let lastNumberWithoutMark: Int64

  /// The value of `zone` for the history of a database.
  static let databaseZone: Int64 = 0
}

extension SQLTransaction {
  /// Compares a tag with a history.
  ///
  /// - Returns: `current` if the history contains the tag, `forked` if it does not, `unknown` if
  ///   the mark of its number was deleted.
  func verdict(of tag: ChangeTag, in history: History) throws -> HistoryReport.Verdict {
    guard tag != history.newest else { return .current }
    guard tag.number <= history.newest.number else { return .forked }
    guard tag.number <= history.lastNumberWithoutMark || tag.number > history.lastDeletedMark
    else { return .unknown }
    return try tag.mark == anyMark(of: tag.number, in: history) ? .current : .forked
  }

  /// Returns the mark of a number, computed if it was assigned before marks were introduced; nil if
  /// the number is greater than the newest one. See `mark(of:in:)` for a deleted mark.
  func anyMark(of number: Int64, in history: History) throws -> Mark? {
    try number <= history.lastNumberWithoutMark
      ? legacyMark(of: number) : mark(of: number, in: history)
  }

  /// Returns the computed mark of a number that was assigned before marks were introduced.
  func legacyMark(of number: Int64) throws -> Mark {
    Mark(ofNumber: number, givenBeforeMarksBy: try serviceID())
  }
}

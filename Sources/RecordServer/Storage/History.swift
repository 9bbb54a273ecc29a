import CloudRecords

/// The history of a zone, or of a database: which numbers were given under which marks.
///
/// The mark of a number is that of the transaction that gave it. Storage keeps, of each
/// transaction, the last number it gave and its mark.
public struct History: Hashable, Sendable {
  let owner: OwnerID
  /// The incarnation of the zone; 0 for the history of the database.
  let zone: Int64
  /// The last number that was given, and its mark.
  let newest: ChangeTag
  /// Up to this number the marks are no longer known.
  let forgotten: Int64
  /// Up to this number there were no marks when the numbers were given: they are computed. -1
  /// where there were always marks.
  let legacy: Int64

  /// The zone of a database's own history.
  static let database: Int64 = 0
}

extension RecordReading {
  /// Whether a history has a tag.
  func verdict(of tag: ChangeTag, in history: History) throws -> HistoryReport.Verdict {
    guard tag != history.newest else { return .current }
    guard tag.number <= history.newest.number else { return .forked }
    guard tag.number <= history.legacy || tag.number > history.forgotten else { return .unknown }
    return try tag.mark == anyMark(of: tag.number, in: history) ? .current : .forked
  }

  /// The mark of a number, also of one from before there were marks; nil where it is not known.
  func anyMark(of number: Int64, in history: History) throws -> Mark? {
    try number <= history.legacy ? legacyMark(of: number) : mark(of: number, in: history)
  }

  /// The computed mark of a number from before there were marks.
  func legacyMark(of number: Int64) throws -> Mark {
    Mark(ofNumber: number, givenBeforeMarksBy: try serviceID())
  }
}

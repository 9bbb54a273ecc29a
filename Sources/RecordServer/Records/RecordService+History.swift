import CloudRecords

extension RecordService {
  /// What an answer says of a history, as a transaction sees it.
  ///
  /// - Parameter witness: the newest tag that the client has learned; nil for none.
  static func report(
    on history: History, witness: String?, in transaction: any RecordReading
  ) throws -> HistoryReport {
    var verdict = HistoryReport.Verdict.current
    if let witness {
      // What is no tag of ours is in no history.
      verdict =
        try ChangeTag(witness).map { try transaction.verdict(of: $0, in: history) } ?? .forked
    }
    return HistoryReport(verdict, newest: history.newest.description)
  }

  /// Reads something of one zone, and reports on its history as of the same moment.
  ///
  /// - Parameters:
  ///   - zoneID: nil where the request is not about exactly one zone.
  ///   - body: notes why a sync token was refused.
  func read<Answer: Sendable>(
    about zoneID: ZoneID?, witness: String?, at place: Place, by caller: Caller?,
    _ body:
      @escaping @Sendable (
        any RecordReading, RequestContext, inout HistoryReport.TokenProblem?
      ) throws -> Answer
  ) async -> Reported<Answer> {
    do throws(ServiceError) {
      return try await read(at: place, by: caller) { transaction, context in
        var report = try zoneID.flatMap { try context.knownZone($0, in: transaction) }
          .map { try Self.report(on: $0.history, witness: witness, in: transaction) }
        var problem: HistoryReport.TokenProblem?
        let result: Result<Answer, ServiceError>
        do {
          result = .success(try body(transaction, context, &problem))
        } catch let error as ServiceError {
          result = .failure(error)
        }
        report?.tokenProblem = problem
        return Reported(result, history: report)
      }
    } catch {
      return Reported(.failure(error))
    }
  }
}

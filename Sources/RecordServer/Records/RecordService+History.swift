import CloudRecords

extension RecordService {
  /// Reports on a history as a transaction sees it.
  ///
  /// - Parameter witness: the newest change tag that the client knows; nil if it sent none.
  static func report(
    on history: History, witness: String?, in transaction: SQLTransaction
  ) throws -> HistoryReport {
    var verdict = HistoryReport.Verdict.current
    if let witness {
      // A malformed witness counts as forked.
      verdict =
        try ChangeTag(witness).map { try transaction.verdict(of: $0, in: history) } ?? .forked
    }
    return HistoryReport(verdict, newest: history.newest.description)
  }

  /// Counts a response that reports a lost part of the history to the client. An error of counting
  /// is ignored.
  ///
  /// - Parameter witness: the witness of the request. A response to a malformed witness is not
  ///   counted, because no service can have issued it.
  func counted<Response>(
    _ reported: Reported<Response>, witness: String?
  ) async -> Reported<Response> {
    let isReal = witness.map { ChangeTag($0) != nil } ?? true
    if isReal, reported.history?.isFork == true { try? await write { try $0.countFork() } }
    return reported
  }

  /// Reads from one zone, reports on its history and counts the response if it reports a fork.
  func countedRead<Response: Sendable>(
    about zoneID: ZoneID?, witness: String?, at address: DatabaseAddress, by caller: Caller?,
    within budget: RowBudget? = nil, _ body: @escaping ZoneReading<Response>
  ) async -> Reported<Response> {
    await counted(
      await read(
        about: zoneID, witness: witness, at: address, by: caller, within: budget, body),
      witness: witness)
  }

  /// Reads from one zone and reports on its history in the same transaction.
  ///
  /// - Parameters:
  ///   - zoneID: the zone; nil if the request does not concern exactly one zone, and then the
  ///     result has no report.
  ///   - budget: limits and counts the rows that are looked at; nil for no limit.
  ///   - body: sets its third argument if it refuses a sync token.
  func read<Response: Sendable>(
    about zoneID: ZoneID?, witness: String?, at address: DatabaseAddress, by caller: Caller?,
    within budget: RowBudget? = nil, _ body: @escaping ZoneReading<Response>
  ) async -> Reported<Response> {
    do throws(ServiceError) {
      return try await read(at: address, by: caller, within: budget) { transaction, context in
        var context = context
        context.zone = try zoneID.flatMap { try context.knownZone($0, in: transaction) }
        var report = try context.zone.map {
          try Self.report(on: $0.history, witness: witness, in: transaction)
        }
        var problem: HistoryReport.TokenProblem?
        let result: Result<Response, ServiceError>
        do {
          result = .success(try body(transaction, context, &problem))
        } catch let error as ServiceError {
          result = .failure(error)
        } catch let refusal as TokenProblem {
          result = .failure(refusal.serviceError)
        }
        report?.tokenProblem = problem
        return Reported(result, history: report)
      }
    } catch {
      return Reported(.failure(error))
    }
  }

  /// The body of a read from one zone. If it refuses a sync token, it sets the third argument; it
  /// throws a `TokenProblem` or a `ServiceError` for what the client is told.
  typealias ZoneReading<Response> =
    @Sendable (SQLTransaction, RequestContext, inout HistoryReport.TokenProblem?) throws
    -> Response
}

extension HistoryReport {
  /// Whether the service has lost a part of the history that the client knows.
  var isFork: Bool { verdict == .forked || tokenProblem == .forked }
}

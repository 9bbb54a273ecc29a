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
      // A malformed witness counts as forked.
      verdict =
        try ChangeTag(witness).map { try transaction.verdict(of: $0, in: history) } ?? .forked
    }
    return HistoryReport(verdict, newest: history.newest.description)
  }

  /// Counts an answer that tells a client that the service has lost a part of its history. Where
  /// that fails, the answer is given all the same.
  ///
  /// - Parameter witness: of the request. One that no service can have given says nothing of this
  ///   one.
  func counted<Answer>(
    _ reported: Reported<Answer>, witness: String?
  ) async -> Reported<Answer> {
    let isReal = witness.map { ChangeTag($0) != nil } ?? true
    if isReal, reported.history?.isFork == true { try? await write { try $0.countFork() } }
    return reported
  }

  func countedRead<Answer: Sendable>(
    about zoneID: ZoneID?, witness: String?, at place: Place, by caller: Caller?,
    _ body: @escaping ZoneReading<Answer>
  ) async -> Reported<Answer> {
    await counted(
      await read(about: zoneID, witness: witness, at: place, by: caller, body), witness: witness)
  }

  /// Reads something of one zone, and reports on its history as of the same moment.
  ///
  /// - Parameters:
  ///   - zoneID: nil where the request is not about exactly one zone.
  ///   - body: notes why a sync token was refused.
  func read<Answer: Sendable>(
    about zoneID: ZoneID?, witness: String?, at place: Place, by caller: Caller?,
    _ body: @escaping ZoneReading<Answer>
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

  typealias ZoneReading<Answer> =
    @Sendable (any RecordReading, RequestContext, inout HistoryReport.TokenProblem?) throws
    -> Answer
}

extension HistoryReport {
  /// Whether the service has lost what the client knows.
  var isFork: Bool { verdict == .forked || tokenProblem == .forked }
}

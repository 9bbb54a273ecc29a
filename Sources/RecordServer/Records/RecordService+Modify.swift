public import CloudRecords

extension RecordService {
  /// Saves and deletes records.
  ///
  /// Operations are grouped by zone. Each group runs in its own transaction, and `atomic` applies
  /// to each custom zone separately.
  public func modify(
    _ request: RecordsModify.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> RecordsModify.Response {
    try await modify(request, at: address, by: caller, witness: nil).get()
  }

  /// Saves and deletes records and, if all of them are in one zone, reports on its history.
  ///
  /// - Parameter witness: the newest change tag that the client knows of the zone; nil if it sent
  ///   none. It is checked in the transaction that carries out the operations.
  public func modify(
    _ request: RecordsModify.Request, at address: DatabaseAddress, by caller: Caller?,
    witness: String?
  ) async -> Reported<RecordsModify.Response> {
    do throws(ServiceError) {
      return await counted(
        try await carryOut(request, at: address, by: caller, witness), witness: witness)
    } catch {
      return Reported(.failure(error))
    }
  }

  /// Groups the operations by zone and carries out each group.
  private func carryOut(
    _ request: RecordsModify.Request, at address: DatabaseAddress, by caller: Caller?,
    _ witness: String?
  ) async throws(ServiceError) -> Reported<RecordsModify.Response> {
    try request.check { RequestContext.foreignOwner($0.ownerRecordName, of: caller) }
    guard caller != nil else {
      throw ServiceError(.authenticationRequired, cause: .authorizationNeeded)
    }
    var groups: [(zoneID: ZoneID, indices: [Int])] = []
    for (index, operation) in request.operations.enumerated() {
      let zoneID = request.zoneID(of: operation)
      let owner = RequestContext.foreignOwner(zoneID.ownerRecordName, of: caller)
      let group = groups.firstIndex {
        $0.zoneID.zoneName == zoneID.zoneName
          && RequestContext.foreignOwner($0.zoneID.ownerRecordName, of: caller) == owner
      }
      if let group { groups[group].indices.append(index) } else { groups.append((zoneID, [index])) }
    }
    var results: [Int: RecordResult] = [:]
    var history: HistoryReport?
    for (zoneID, indices) in groups {
      let part = await modify(
        indices.map { request.operations[$0] }, in: zoneID,
        isAtomic: request.isAtomic(in: zoneID),
        desiredKeys: request.desiredKeys, at: address, by: caller, witness)
      if groups.count == 1 { history = part.history }
      switch part.result {
      case .success(let part):
        for (index, result) in zip(indices, part) { results[index] = result }
      case .failure(let error):
        // If this is the only zone, nothing was changed, so the whole request fails.
        guard groups.count > 1 else { return Reported(.failure(error), history: history) }
        for index in indices {
          results[index] = .failure(
            error.with(recordName: request.operations[index].record.recordName))
        }
      }
    }
    let answer = RecordsModify.Response(
      records: request.operations.indices.compactMap { results[$0] })
    return Reported(.success(answer), history: history)
  }

  /// The error that rolls back a transaction but has a result for the client.
  private struct RolledBack: Error {
    let reported: Reported<[RecordResult]>
    /// Whether the transaction created the owner row. The rollback then removed the history that
    /// was reported on, too.
    let isNewOwner: Bool
  }

  /// The results of a committed transaction, and the work that follows it.
  private struct Written: Sendable {
    var results: [RecordResult]
    var firings: [Firing] = []
    var job: JobRow?
    /// The context of a public database, whose subscriptions are evaluated after the commit; nil
    /// for a private database.
    var context: RequestContext?
    var changes: [RecordChange] = []
    /// The owner if records have lost assets; otherwise nil.
    var ownerOfUnusedAssets: OwnerID?
    var history: HistoryReport
  }

  /// Carries out the operations on one zone in one transaction.
  ///
  /// - Returns: a result for each operation, in their order.
  private func modify(
    _ operations: [RecordsModify.Operation], in zoneID: ZoneID, isAtomic: Bool,
    desiredKeys: [String]?, at address: DatabaseAddress, by caller: Caller?, _ witness: String?
  ) async -> Reported<[RecordResult]> {
    let source = markSource
    let names = operations.map { $0.record.recordName ?? options.newName() }
    let written: Written
    do {
      let account = try RequestContext.account(at: address, by: caller)
      written = try await storage.write { transaction in
        guard let state = try transaction.state(of: address.container, address.environment) else {
          throw ServiceError(.notFound, cause: .unknownContainer)
        }
        let (owner, isNewOwner) = try owner(of: address, account, caller, in: transaction)
        let context = RequestContext(address: address, caller: caller, state: state, owner: owner)
        let zone = try context.zone(zoneID, in: transaction)
        let scope = context.scope(zone)
        let report = try Self.report(on: zone.history, witness: witness, in: transaction)
        // Allotting numbers first locks the zone against other writers until the transaction ends.
        let numbers = try transaction.allotNumbers(operations.count, in: scope)
        let batch = RecordBatch(
          context: context, scope: scope, operations: operations, names: names,
          isAtomic: isAtomic,
          records: BatchRecords(scope: scope, transaction: transaction, signer: signer),
          quota: options.quota,
          isStrictAboutRequiredFields: options.isStrictAboutRequiredFields, now: source.time)
        let outcome: RecordBatch.Outcome
        do {
          outcome = try batch.run()
        } catch let error as ServiceError {
          throw RolledBack(
            reported: Reported(.failure(error), history: report), isNewOwner: isNewOwner)
        }
        var writer = BatchWriter(
          batch: batch, outcome: outcome, signer: signer, desiredKeys: desiredKeys,
          history: zone.history, source: source)
        guard outcome.isChange else {
          throw RolledBack(
            reported: Reported(.success(try writer.results()), history: report),
            isNewOwner: isNewOwner)
        }
        let (newest, job) = try writer.write(to: transaction, from: numbers)
        var written = Written(results: try writer.results(), job: job, history: report)
        written.history.newest = newest.description
        written.ownerOfUnusedAssets = writer.hasUnusedAssets ? scope.owner : nil
        let matcher = SubscriptionMatcher(
          context: outcome.pass.context, zoneName: scope.zoneName, changes: writer.changes)
        if scope.isPublic {
          written.context = matcher.context
          written.changes = matcher.changes
        } else {
          written.firings = try matcher.fire(in: transaction)
        }
        return written
      }
    } catch let rolledBack as RolledBack {
      guard rolledBack.isNewOwner else { return rolledBack.reported }
      return await read(about: zoneID, witness: witness, at: address, by: caller) { _, _, _ in
        try rolledBack.reported.get()
      }
    } catch {
      return Reported(.failure(Self.serviceError(error)))
    }
    if !written.firings.isEmpty { options.onFirings(written.firings) }
    if let context = written.context {
      await fan(written.changes, in: zoneID.zoneName, context)
    }
    if let job = written.job { _ = try? await run(job.id) }
    if let owner = written.ownerOfUnusedAssets {
      // The response does not wait for it. What is left when the process ends is deleted by the
      // housekeeping.
      Task { _ = try? await deleteUnusedAssets(of: owner) }
    }
    return Reported(.success(written.results), history: written.history)
  }

  /// Evaluates the subscriptions of a public database, one page at a time. Errors are ignored: the
  /// change is already committed, and a notification is only a hint.
  private func fan(
    _ changes: [RecordChange], in zoneName: String, _ context: RequestContext
  ) async {
    let matcher = SubscriptionMatcher(context: context, zoneName: zoneName, changes: changes)
    for type in matcher.types {
      var position: SubscriptionRow.Position?
      repeat {
        let after = position
        guard
          let page = try? await read({ transaction in
            try matcher.page(of: type, after: after, in: transaction)
          })
        else { return }
        var firings = page.firings
        if !page.firingOnce.isEmpty {
          firings += (try? await write { try matcher.spend(page.firingOnce, in: $0) }) ?? []
        }
        if !firings.isEmpty { options.onFirings(firings) }
        position = page.next
      } while position != nil
    }
  }
}

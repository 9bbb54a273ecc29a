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
  /// - Parameters:
  ///   - witness: the newest change tag that the client knows of the zone; nil if it sent none. It
  ///     is checked in the transaction that carries out the operations.
  ///   - work: the work for the subscriptions that the changes fire is added to it. It has to have
  ///     room for the response.
  public func modify(
    _ request: RecordsModify.Request, at address: DatabaseAddress, by caller: Caller?,
    witness: String?, work: RequestWork = RequestWork()
  ) async -> Reported<RecordsModify.Response> {
    do throws(ServiceError) {
      return await counted(
        try await carryOut(request, at: address, by: caller, witness, work), witness: witness)
    } catch {
      return Reported(.failure(error))
    }
  }

  /// Groups the operations by zone and carries out each group.
  private func carryOut(
    _ request: RecordsModify.Request, at address: DatabaseAddress, by caller: Caller?,
    _ witness: String?, _ work: RequestWork
  ) async throws(ServiceError) -> Reported<RecordsModify.Response> {
    try request.check { RequestContext.foreignOwner($0.ownerRecordName, of: caller) }
    _ = try caller.signedIn()
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
    // The zones share the size of the response.
    var responseLimit = RecordBatch.maximumResponseBytes
    // A request fires a subscription once, even if it covers several zones.
    var firings = FiringList()
    for (zoneID, indices) in groups {
      let part = await modify(
        indices.map { request.operations[$0] }, in: zoneID,
        isAtomic: request.isAtomic(in: zoneID),
        desiredKeys: request.desiredKeys, at: address, by: caller, witness, work, &responseLimit,
        &firings)
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
    await deliver(firings.all, work)
    let response = RecordsModify.Response(
      records: request.operations.indices.compactMap { results[$0] })
    return Reported(.success(response), history: history)
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
    /// Makes the results of the operations.
    var results: @Sendable () throws -> [RecordResult]
    var job: JobRow?
    /// Finds the subscriptions that the changes fire.
    var matcher: SubscriptionMatcher
    /// The record types that have subscriptions which may fire; nil stands for zone subscriptions.
    var watchedTypes: [String?]
    /// The total size of the records in the results, in bytes.
    var responseBytes: Int
    var schemaUsage: SchemaUsage?
    /// The owner if records no longer hold assets that they held before; otherwise nil.
    var ownerOfUnusedAssets: OwnerID?
    var history: HistoryReport
  }

  /// Carries out the operations on one zone in one transaction.
  ///
  /// - Parameters:
  ///   - responseLimit: the size that the records in the response may still have, in bytes; reduced
  ///     by that of the results.
  ///   - firings: gets the subscriptions that the changes fire.
  /// - Returns: a result for each operation, in their order.
  private func modify(
    _ operations: [RecordsModify.Operation], in zoneID: ZoneID, isAtomic: Bool,
    desiredKeys: [String]?, at address: DatabaseAddress, by caller: Caller?, _ witness: String?,
    _ work: RequestWork, _ responseLimit: inout Int, _ firings: inout FiringList
  ) async -> Reported<[RecordResult]> {
    let source = markSource
    let bytes = responseLimit
    let names = operations.map { $0.record.recordName ?? options.newName() }
    let account: Int64
    do { account = try RequestContext.account(at: address, by: caller) } catch {
      return Reported(.failure(error))
    }
    let written: Written
    do {
      written = try await storage.write(for: caller?.account) { transaction in
        let (context, isNewOwner) = try context(at: address, account, caller, in: transaction)
        let zone = try context.zone(zoneID, in: transaction)
        let scope = context.scope(zone)
        let report = try Self.report(on: zone.history, witness: witness, in: transaction)
        let numbers = try transaction.allotNumbers(
          operations.count, after: zone.sequence, in: scope)
        let batch = RecordBatch(
          context: context, scope: scope, operations: operations, names: names,
          isAtomic: isAtomic,
          records: BatchRecords(scope: scope, transaction: transaction, signer: signer),
          responseLimit: bytes,
          quota: options.quota,
          isStrictAboutRequiredFields: options.isStrictAboutRequiredFields,
          schemaUsage: newSchemaUsage(at: address), now: source.time)
        let outcome: RecordBatch.Outcome
        do {
          outcome = try batch.run()
          if outcome.hasChanges {
            try work.requireRoom(forResponse: outcome.pass.responseBytes)
          }
        } catch let error as ServiceError {
          throw RolledBack(
            reported: Reported(.failure(error), history: report), isNewOwner: isNewOwner)
        }
        var writer = BatchWriter(
          batch: batch, outcome: outcome, history: zone.history, markSource: source)
        guard outcome.hasChanges else {
          // No record was saved, so these results are small.
          let results = try writer.results(signer: signer, desiredKeys: desiredKeys)()
          throw RolledBack(
            reported: Reported(.success(results), history: report), isNewOwner: isNewOwner)
        }
        let (newest, job) = try writer.write(to: transaction, from: numbers)
        let matcher = SubscriptionMatcher(
          context: outcome.pass.context, zoneName: scope.zoneName, changes: writer.changes)
        var written = Written(
          results: writer.results(signer: signer, desiredKeys: desiredKeys), job: job,
          matcher: matcher,
          watchedTypes: try matcher.types(in: transaction),
          responseBytes: outcome.pass.responseBytes, history: report)
        written.history.newest = newest.description
        written.schemaUsage = try outcome.pass.schemaUsageWithTargets()
        written.ownerOfUnusedAssets = writer.hasUnusedAssets ? scope.owner : nil
        return written
      }
    } catch let rolledBack as RolledBack {
      guard rolledBack.isNewOwner else { return rolledBack.reported }
      return await read(about: zoneID, witness: witness, at: address, by: caller) { _, _, _ in
        try rolledBack.reported.get()
      }
    } catch {
      return Reported(.failure(failure(of: error, at: address, account)))
    }
    responseLimit -= written.responseBytes
    if let usage = written.schemaUsage { options.onSchemaUsage?(usage) }
    if await !fire(written.matcher, for: written.watchedTypes, work, &firings) {
      options.onNotificationLoss(NotificationLoss(address, account: account))
    }
    if let job = written.job { _ = try? await run(job.id) }
    if let owner = written.ownerOfUnusedAssets {
      // The response does not wait for it. What is left when the process ends is deleted by the
      // housekeeping.
      Task { _ = try? await deleteUnusedAssets(of: owner) }
    }
    do {
      return Reported(.success(try written.results()), history: written.history)
    } catch {
      return Reported(.failure(Self.serviceError(error)), history: written.history)
    }
  }

  /// Compares committed changes with the subscriptions of the database, one page at a time, and
  /// deletes those that fire only once and have fired.
  ///
  /// This runs after the transaction of the changes, so that other writers do not wait for it. In
  /// the transaction it was only checked which record types have subscriptions.
  ///
  /// - Parameter firings: gets the subscriptions that fire, except those of a public database,
  ///   which can be many and are delivered page by page.
  /// - Returns: false if the database has failed, so that not all subscriptions were found.
  private func fire(
    _ matcher: SubscriptionMatcher, for types: [String?], _ work: RequestWork,
    _ firings: inout FiringList
  ) async -> Bool {
    for type in types {
      var position: SubscriptionRow.Position?
      repeat {
        let after = position
        guard
          let page = await StorageRetry.value({
            try? await read { try matcher.page(of: type, after: after, in: $0) }
          })
        else { return false }
        work.addFanOut(page.work)
        var found = page.firings
        if !page.firingOnce.isEmpty {
          // This is not tried again: if a COMMIT without an answer has deleted the subscriptions,
          // a second attempt would return none of them.
          guard let spent = try? await write({ try matcher.spend(page.firingOnce, in: $0) })
          else { return false }
          found += spent
        }
        if matcher.context.isPublic {
          await deliver(found, work)
        } else {
          for firing in found { firings.add(firing) }
        }
        position = page.next
      } while position != nil
    }
    return true
  }

  private func deliver(_ firings: [Firing], _ work: RequestWork) async {
    guard !firings.isEmpty else { return }
    work.addFanOut(await options.onFirings(firings))
  }
}

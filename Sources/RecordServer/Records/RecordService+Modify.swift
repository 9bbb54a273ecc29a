public import CloudRecords

extension RecordService {
  /// Saves and deletes records.
  ///
  /// Operations on several zones are carried out zone by zone, each in a transaction of its
  /// own; whether all or none is meant is said for each custom zone alike.
  public func modify(
    _ request: RecordsModify.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> RecordsModify.Answer {
    try request.check()
    guard caller != nil else {
      throw ServiceError(.authenticationRequired, reason: Reason.authorizationNeeded)
    }
    var groups: [(zoneID: ZoneID, indices: [Int])] = []
    for (index, operation) in request.operations.enumerated() {
      let zoneID = operation.record.zoneID ?? request.zoneID ?? .default
      let owner = RequestContext.foreignOwner(zoneID.ownerRecordName, of: caller)
      let group = groups.firstIndex {
        $0.zoneID.zoneName == zoneID.zoneName
          && RequestContext.foreignOwner($0.zoneID.ownerRecordName, of: caller) == owner
      }
      if let group { groups[group].indices.append(index) } else { groups.append((zoneID, [index])) }
    }
    guard request.atomic != true || !groups.contains(where: { $0.zoneID.isDefault }) else {
      throw ServiceError(.badRequest, reason: Reason.atomicInDefaultZone)
    }
    var results: [Int: RecordResult] = [:]
    for (zoneID, indices) in groups {
      do {
        let part = try await modify(
          indices.map { request.operations[$0] }, in: zoneID,
          isAtomic: !zoneID.isDefault && request.atomic != false,
          desiredKeys: request.desiredKeys, at: place, by: caller)
        for (index, result) in zip(indices, part) { results[index] = result }
      } catch {
        // Where there is only this zone nothing was changed: the request fails as a whole.
        guard groups.count > 1 else { throw error }
        for index in indices {
          results[index] = .failure(
            error.of(record: request.operations[index].record.recordName))
        }
      }
    }
    return RecordsModify.Answer(
      records: request.operations.indices.compactMap { results[$0] })
  }

  /// Takes back what a transaction did so far, without an error.
  private struct NothingChanged: Error {
    let results: [RecordResult]
  }

  /// What a batch that was written leaves to do.
  private struct Written: Sendable {
    var results: [RecordResult]
    var firings: [Firing] = []
    var job: JobRow?
    /// In a public database subscriptions are gone through afterwards.
    var context: RequestContext?
    var changes: [RecordChange] = []
  }

  /// - Returns: a result for each operation.
  private func modify(
    _ operations: [RecordsModify.Operation], in zoneID: ZoneID, isAtomic: Bool,
    desiredKeys: [String]?, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> [RecordResult] {
    let now = now()
    let names = operations.map { $0.record.recordName ?? options.newName() }
    let account = try RequestContext.account(at: place, by: caller)
    let written: Written
    do {
      written = try await storage.write { transaction in
        guard let state = try transaction.state(of: place.container, place.environment) else {
          throw ServiceError(.notFound, reason: Reason.unknownContainer)
        }
        let owner = try Self.owner(of: place, account, caller, in: transaction)
        let context = RequestContext(place: place, caller: caller, state: state, owner: owner)
        let zone = try context.zone(zoneID, in: transaction)
        let scope = context.scope(zone)
        // First, so that nobody else changes the zone from here on.
        let numbers = try transaction.numbers(operations.count, in: scope)
        let batch = RecordBatch(
          context: context, scope: scope, operations: operations, names: names,
          isAtomic: isAtomic,
          records: BatchRecords(scope: scope, transaction: transaction, sealer: signer.sealer),
          quota: options.quota, now: now)
        let outcome = try batch.run()
        var writer = BatchWriter(
          batch: batch, outcome: outcome, sealer: signer.sealer, desiredKeys: desiredKeys)
        guard outcome.isChange else {
          throw NothingChanged(results: try writer.results())
        }
        let job = try writer.write(to: transaction, from: numbers)
        var written = Written(results: try writer.results(), job: job)
        let matcher = SubscriptionMatcher(
          context: outcome.pass.context, zoneName: scope.zoneName, changes: writer.changes)
        if scope.isPublic {
          written.context = matcher.context
          written.changes = matcher.changes
        } else {
          try transaction.touch(scope)
          written.firings = try matcher.fire(in: transaction)
        }
        return written
      }
    } catch let nothing as NothingChanged {
      return nothing.results
    } catch let error as ServiceError {
      throw error
    } catch {
      throw (error as? StorageFailure ?? .failed("")).serviceError
    }
    if !written.firings.isEmpty { options.onFirings(written.firings) }
    if let context = written.context {
      await fan(written.changes, in: zoneID.zoneName, context)
    }
    if let job = written.job { _ = try? await run(job) }
    return written.results
  }

  /// Goes through the subscriptions of a public database, a page at a time. As what fires is a
  /// hint, a failure is none of the change.
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
        if !page.spent.isEmpty {
          try? await write { transaction in
            for row in page.spent {
              try transaction.removeSubscription(row.id, of: row.account, in: context.owner.id)
            }
          }
        }
        if !page.firings.isEmpty { options.onFirings(page.firings) }
        position = page.next
      } while position != nil
    }
  }
}

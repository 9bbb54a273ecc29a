public import CloudRecords

extension RecordService {
  /// The maximum number of rows that one transaction deletes or rewrites.
  private static let chunk = 500

  /// Runs all unfinished jobs, such as those that a stopped server has left, except those that this
  /// process is running already.
  ///
  /// - Throws: the first error. A job that fails does not prevent the others from running; it is
  ///   tried again by the next call.
  public func resume() async throws(ServiceError) {
    var failure: ServiceError?
    for job in try await read({ try $0.jobs() }) where !runningJobs.contains(job.id) {
      do throws(ServiceError) { try await run(job.id) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Deletes all data of an account: its private databases in all containers and environments, and
  /// its records and subscriptions in public databases.
  ///
  /// The job changes one owner at a time, in small transactions. If it is interrupted, `resume`
  /// continues it.
  ///
  /// - Returns: the number of deleted records.
  @discardableResult
  public func deleteOwner(account: Int64) async throws(ServiceError) -> Int {
    let job = try await write { try $0.job(deleting: account) }
    return try await run(job.id)
  }

  /// Returns the usage of an account, summed over all databases of all containers.
  public func usage(of account: Int64) async throws(ServiceError) -> Usage {
    try await read { transaction in
      let owners = try transaction.owners(of: account) + transaction.publicScopes().map(\.owner)
      return try owners.reduce(into: Usage()) { sum, owner in
        let usage = try transaction.usage(of: account, in: owner)
        sum.bytes += usage.bytes
        sum.records += usage.records
      }
    }
  }

  /// Deletes old tombstones.
  ///
  /// These are the tombstones older than `ServiceOptions.tombstoneLifetime` and, if the number of
  /// an owner's tombstones exceeds the number of records that its quota allows, the oldest ones of
  /// the zones with the most tombstones. A client that saves and deletes records without end
  /// therefore cannot fill the disk.
  ///
  /// - Returns: the number of deleted tombstones.
  @discardableResult
  public func deleteTombstones() async throws(ServiceError) -> Int {
    let time = options.tombstoneLifetime.map { now() - $0 }
    var count = 0
    try await eachOwner { owner throws(ServiceError) in
      var kept: [(scope: Scope, count: Int)] = []
      for scope in try await self.read({ try $0.scopes(of: owner) }) {
        if let time {
          count += try await self.deleteTombstones(in: scope, before: time, limit: .max)
        }
        kept.append((scope, try await self.read { try $0.tombstoneCount(in: scope) }))
      }
      // The zones share the allowed number equally; what a zone with few tombstones does not
      // need is available to the zones with more.
      var room = self.options.quota.records
      kept.sort { $0.count < $1.count }
      for (index, zone) in kept.enumerated() {
        let share = room / (kept.count - index)
        if zone.count > share {
          count += try await self.deleteTombstones(
            in: zone.scope, before: .max, limit: zone.count - share)
        }
        room -= min(zone.count, share)
      }
    }
    return count
  }

  /// Deletes the tombstones of deletions before `time`, oldest first, at most `limit`.
  private func deleteTombstones(
    in scope: Scope, before time: Int64, limit: Int
  ) async throws(ServiceError) -> Int {
    var count = 0
    while count < limit {
      let chunk = min(Self.chunk, limit - count)
      let deleted = try await write {
        try $0.deleteTombstones(in: scope, before: time, limit: chunk)
      }
      count += deleted
      if deleted < chunk { break }
    }
    return count
  }

  /// Deletes the marks of transactions that are older than `ServiceOptions.historyLifetime`, and
  /// the oldest marks of a history with more than `ServiceOptions.historyLength` transactions.
  public func deleteMarks() async throws(ServiceError) {
    let time = now() - options.historyLifetime
    let length = options.historyLength
    try await eachOwner { owner throws(ServiceError) in
      for history in try await self.read({ try $0.histories(of: owner) }) {
        while true {
          let number = try await self.read {
            try $0.lastDeletableNumber(
              in: history, before: time, keeping: length, limit: Self.chunk)
          }
          guard let number else { break }
          try await self.write { try $0.deleteMarks(of: history, through: number) }
        }
      }
    }
  }

  /// Runs a job in an unstructured task, so that it finishes even if the caller is cancelled. If
  /// this process is running the job already, waits for its end.
  ///
  /// - Returns: the number of deleted records.
  @discardableResult
  func run(_ id: JobRow.ID) async throws(ServiceError) -> Int {
    let task = runningJobs.task(of: id) { () async -> Result<Int, ServiceError> in
      do throws(ServiceError) {
        return .success(try await carryOut(id))
      } catch {
        return .failure(error)
      }
    }
    return try await task.value.get()
  }

  /// Runs a job and removes it from storage when it is done.
  ///
  /// - Returns: the number of deleted records; 0 if the job was finished before.
  private func carryOut(_ id: JobRow.ID) async throws(ServiceError) -> Int {
    let jobs = try await read { try $0.jobs() }
    guard let job = jobs.first(where: { $0.id == id }) else { return 0 }
    switch job.job {
    case .purgeZone(let owner, let incarnation):
      return try await purge(OwnerID(rawValue: owner), incarnation, ending: { try $0.remove(job) })
    case .deleteAccount(let account, let records):
      return try await delete(account, job, records)
    case .reset(let container, let environment, let last):
      return try await reset(container, environment, through: last, job)
    case .reindex(let container, let environment, let types, let after):
      try await reindex(container, environment, types, after: after, job)
      return 0
    }
  }

  // MARK: Deleting

  /// Deletes all records of an owner, or of one incarnation of a zone.
  ///
  /// - Parameters:
  ///   - note: called in each transaction with the number of records deleted so far.
  ///   - end: called in the transaction that finds nothing left to delete, so that no other writer
  ///     can add rows between the two.
  /// - Returns: the number of deleted records.
  private func purge(
    _ owner: OwnerID, _ incarnation: Int64? = nil,
    noting note: @escaping @Sendable (SQLWriteTransaction, Int) throws -> Void = { _, _ in },
    ending end: @escaping @Sendable (SQLWriteTransaction) throws -> Void
  ) async throws(ServiceError) -> Int {
    var count = 0
    while true {
      let sum = count
      let gone = try await write { transaction -> Usage? in
        guard let gone = try transaction.purge(owner, incarnation, limit: Self.chunk) else {
          try end(transaction)
          return nil
        }
        if let account = try transaction.account(of: owner) {
          try transaction.charge(
            Usage(bytes: -gone.bytes, records: -gone.records), to: account, in: owner)
        }
        try note(transaction, sum + gone.records)
        return gone
      }
      guard let gone else { return count }
      count += gone.records
    }
  }

  /// Deletes the data of an account.
  ///
  /// - Parameter before: the number of records that earlier runs of the job deleted.
  /// - Returns: the number of deleted records, including those of earlier runs.
  private func delete(
    _ account: Int64, _ job: JobRow, _ before: Int
  ) async throws(ServiceError) -> Int {
    var count = before
    for owner in try await read({ try $0.owners(of: account) }) {
      let start = count
      count += try await purge(
        owner,
        noting: { transaction, gone in
          var job = job
          job.job = .deleteAccount(account, records: start + gone)
          try transaction.save(job)
        }, ending: { try $0.removeOwner(owner) })
    }
    for scope in try await read({ try $0.publicScopes() }) {
      while true {
        let sum = count
        let gone = try await write { transaction -> Int? in
          let gone = try transaction.purge(createdBy: account, in: scope, limit: Self.chunk)
          if gone == 0 {
            // The assets after the records, so that no record is without its assets.
            if try transaction.purgeAssets(of: account, in: scope.owner, limit: Self.chunk) {
              return 0
            }
            try transaction.removeSubscriptions(of: account, in: scope.owner)
            try transaction.removeUsage(of: account, in: scope.owner)
          }
          var job = job
          job.job = .deleteAccount(account, records: sum + gone)
          try transaction.save(job)
          return gone == 0 ? nil : gone
        }
        guard let gone else { break }
        count += gone
      }
    }
    try await write { try $0.remove(job) }
    return count
  }

  /// Deletes the owners of an environment that existed when it was reset, with all their records.
  ///
  /// - Parameter last: the last of these owners.
  private func reset(
    _ container: ContainerID, _ environment: ContainerEnvironment, through last: Int64,
    _ job: JobRow
  ) async throws(ServiceError) -> Int {
    var count = 0
    try await eachOwner(of: container, environment) { owner throws(ServiceError) in
      guard owner.rawValue <= last else { return }
      count += try await self.purge(owner, ending: { try $0.removeOwner(owner) })
    }
    try await write { try $0.remove(job) }
    return count
  }

  // MARK: Indexing

  /// Rewrites the index entries of all records of some types.
  ///
  /// - Parameter after: the ID of the last owner that is done.
  private func reindex(
    _ container: ContainerID, _ environment: ContainerEnvironment, _ types: [String],
    after: Int64, _ job: JobRow
  ) async throws(ServiceError) {
    try await eachOwner(of: container, environment, after: after) { owner throws(ServiceError) in
      for scope in try await self.read({ try $0.scopes(of: owner) }) {
        for type in types {
          // Most zones have no records of a type, and finding that out needs no write transaction.
          let hasAny = try await self.read {
            try !$0.records(of: type, in: scope, after: "", limit: 1, bytes: 1).isEmpty
          }
          var name: String? = hasAny ? "" : nil
          while let last = name {
            name = try await self.write { transaction in
              var job = job
              job.job = .reindex(container, environment, types: types, after: owner.rawValue - 1)
              try transaction.save(job)
              return try self.reindex(
                type, container, environment, in: scope, after: last, transaction)
            }
          }
        }
      }
    }
    try await write { try $0.remove(job) }
  }

  /// Rewrites the index entries of the next records of a type.
  ///
  /// - Returns: the name of the last record; nil if there are no more records.
  private func reindex(
    _ typeName: String, _ container: ContainerID, _ environment: ContainerEnvironment,
    in scope: Scope, after name: String, _ transaction: SQLWriteTransaction
  ) throws -> String? {
    // The schema may have changed again since the job was added.
    guard let state = try transaction.state(of: container, environment),
      let type = state.schema[typeName]
    else { return nil }
    let rows = try transaction.records(
      of: typeName, in: scope, after: name, limit: Self.chunk, bytes: Limits.pageBytes)
    for row in rows {
      let values = RecordValues(row: row, fields: try signer.sealer.fields(of: row, in: scope))
      try transaction.save(
        values.entries(of: type, ids: state.fieldIDs[typeName] ?? [:]), of: row.name, in: scope)
    }
    return rows.last?.name
  }

  // MARK: Owners

  /// Calls `body` with every owner in all containers and environments.
  func eachOwner(
    _ body: (OwnerID) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    for container in try await read({ try $0.containers() }) {
      for environment in ContainerEnvironment.allCases {
        try await eachOwner(of: container, environment, body)
      }
    }
  }

  /// Calls `body` with each owner of an environment whose ID is greater than `after`, in the order
  /// of the IDs.
  private func eachOwner(
    of container: ContainerID, _ environment: ContainerEnvironment, after: Int64 = 0,
    _ body: (OwnerID) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    var last = OwnerID(rawValue: after)
    while true {
      let after = last
      let owners = try await read {
        try $0.owners(in: container, environment, after: after, limit: Self.chunk)
      }
      for owner in owners {
        try await body(owner)
        last = owner
      }
      if owners.count < Self.chunk { return }
    }
  }
}

extension SQLTransaction {
  /// The histories of an owner's zones that are not deleted, and the history of the database.
  fileprivate func histories(of owner: OwnerID) throws -> [History] {
    try liveZones(of: owner).map(\.history) + [history(of: owner)].compactMap { $0 }
  }

  /// The scopes of an owner's zones that are not deleted.
  fileprivate func scopes(of owner: OwnerID) throws -> [Scope] {
    let isPublic = try account(of: owner) == nil
    return try liveZones(of: owner).map { Scope($0, isPublic: isPublic) }
  }
}

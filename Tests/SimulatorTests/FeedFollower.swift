import CloudRecords

/// Another program that follows the feed of an account by its sync tokens alone, without
/// witnesses.
actor FeedFollower {
  let account: Int
  private var token: String?
  private var known: [String: [String: Field]] = [:]

  init(of account: Int) { self.account = account }

  /// Fetches the changes, or all records if the token is refused. It is refused as expired, or as
  /// unknown after a rollback to a time before the account was first used.
  func follow(_ service: any SimulatedService) async throws {
    do {
      try await fetch(service)
    } catch let error as ServiceError {
      guard token != nil, [.changeTokenExpired, .badRequest].contains(error.code) else {
        throw error
      }
      (token, known) = (nil, [:])
      try await fetch(service)
    }
  }

  private func fetch(_ service: any SimulatedService) async throws {
    var isMoreComing = true
    while isMoreComing {
      let request = ChangesZone.Request(zones: [.init(.default, syncToken: token)])
      let answer = try await service.call(
        ChangesZone.self, request, of: account, witness: nil
      ).result.get()
      guard let page = answer.zones.first else { return }
      for result in try page.get().records {
        switch result {
        case .record(let record):
          if record.recordType != "UserProfile" { known[record.recordName] = record.fields }
        case .tombstone(let tombstone): known[tombstone.recordName] = nil
        case .failure(let error): throw error
        }
      }
      token = try page.get().syncToken
      isMoreComing = try page.get().moreComing
    }
  }

  /// The differences between the records of the follower and those of the service.
  func differences(from records: [Record]) -> [String] {
    let there = Dictionary(uniqueKeysWithValues: records.map { ($0.recordName, $0.fields) })
    return Set(there.keys).union(known.keys).filter { there[$0] != known[$0] }.sorted()
  }
}

import CloudRecords

/// Limits how many pages one round reads, so that a faulty service cannot keep it busy for ever.
struct PageCounter {
  /// The most pages that one round reads: a million records at 200 records a page. Without this
  /// limit a faulty service that keeps sending new records could fill the disk.
  static let limit = 5000
  /// The most pages in a row that bring nothing which this round has not seen. A feed may have
  /// empty pages where much was deleted, but a feed that goes round in a circle has only such.
  static let staleLimit = 100

  private(set) var count = 0
  private var stale = 0
  /// Hashes of the records and tombstones that were seen. That two of them may be equal does no
  /// harm: it is only asked whether a page has anything new.
  private var seen: Set<Int> = []

  /// A listing begins, which tells of all records once more.
  mutating func beginListing() {
    seen = []
    stale = 0
  }

  /// Counts a page that was taken and is not the last one.
  mutating func add(_ page: [RecordResult]) throws(SyncFailure) {
    count += 1
    let before = seen.count
    for result in page { seen.insert(result.hashValue) }
    stale = seen.count > before ? 0 : stale + 1
    guard stale < Self.staleLimit else { throw .endlessPages(count: stale) }
    guard count < Self.limit else { throw .unfinishedPages(count: count) }
  }
}

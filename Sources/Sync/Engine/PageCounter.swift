import CloudRecords

/// Limits the number of pages that one round reads, so that the round ends even if a faulty service
/// never stops sending pages.
struct PageCounter {
  /// The maximum number of pages that one round reads: a million records at 200 records a page. Without this
  /// limit a faulty service that keeps sending new records could fill the disk.
  static let limit = 5000
  /// The maximum number of pages in a row without a record that this round has not seen. A feed may
  /// have empty pages after many deletions, but a feed that goes in a circle has only such pages.
  static let staleLimit = 100

  private(set) var count = 0
  private var stale = 0
  /// Hashes of the records and tombstones that were seen. A collision does no harm: they only show
  /// whether a page has anything new.
  private var seen: Set<Int> = []

  /// Starts a listing, which returns all records once more.
  mutating func beginListing() {
    seen = []
    stale = 0
  }

  /// Counts a page that was applied and is not the last one.
  ///
  /// - Throws: `endlessPages` or `unfinishedPages` if a limit is reached.
  mutating func add(_ page: [RecordResult]) throws(SyncFailure) {
    count += 1
    let before = seen.count
    for result in page { seen.insert(result.hashValue) }
    stale = seen.count > before ? 0 : stale + 1
    guard stale < Self.staleLimit else { throw .endlessPages(count: stale) }
    guard count < Self.limit else { throw .unfinishedPages(count: count) }
  }
}

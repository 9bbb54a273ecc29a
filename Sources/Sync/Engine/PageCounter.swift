import CloudRecords

/// Limits the number of pages that one fetch of all changes reads, so that it ends even if a faulty
/// service never stops sending pages. After a fork, a round of sync fetches again, with a new
/// counter.
struct PageCounter {
  /// The maximum number of pages that one fetch reads: a million records at 200 records a page.
  /// Without this limit a faulty service that keeps sending new records could fill the disk.
  static let limit = 5000
  /// The maximum number of consecutive pages without a record that is new in this fetch. A feed may
  /// have empty pages after many deletions, but a feed that repeats its pages forever has only such
  /// pages.
  static let staleLimit = 100

  private(set) var count = 0
  private var stale = 0
  /// Hashes of the records and tombstones that this fetch has received. They are used only to find
  /// out whether a page contains anything new. If two records have the same hash, a page may count
  /// as old, which matters only if it happens on `staleLimit` pages in a row.
  private var seen: Set<Int> = []

  /// Forgets the received records, because a listing begins, which returns all records again.
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

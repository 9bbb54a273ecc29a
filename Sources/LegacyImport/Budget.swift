/// The resources that the import of a dump may use, over all nested containers.
///
/// A small file can require much memory and time: repeated references, nested lists, a few bytes
/// that decompress to gigabytes, one such text under a thousand keys. Every read, decompressed or
/// decoded byte is charged to the budget first. The budget also checks for cancellation.
struct Budget {
  /// The limit in bytes for a file, for its decompressed content, and for the strings and data at
  /// each level of nested containers. A valid container is never larger than the one around it.
  static let bytes = 16 << 20
  /// The limit in bytes for content that is decompressed, decoded or parsed as a container, over
  /// all levels and keys. The largest dump needs 44 MB: 16 for its decompressed content, 16 for its
  /// strings, and 12 for the bytes that they contain as Base64.
  static let unpacked = 48 << 20
  /// The limit for nested lists and dictionaries, including those of inner containers.
  static let depth = 32
  /// The limit for values over all levels, without the keys of dictionaries.
  static let values = 200_000

  /// Called to find out whether the import was cancelled.
  private let isCancelled: () -> Bool
  private var valuesLeft = values
  /// The bytes left at each level of nested containers.
  private var bytesLeft: [Int] = []
  private var unpackedLeft = unpacked
  private var noteBytesLeft = bytes
  /// The level of the container being read.
  private var level = 0
  /// The number of open lists and dictionaries.
  private var openCount = 0
  /// The bytes processed since the last check for cancellation.
  private var passed = 0

  /// Creates a budget with nothing charged to it.
  init(isCancelled: @escaping () -> Bool) {
    self.isCancelled = isCancelled
  }

  /// Begins to charge the content of a container.
  ///
  /// - Parameters:
  ///   - level: 1 for the file, 2 for a keyed archive around all keys, 3 or more for the value of a
  ///     key.
  ///   - depth: The number of lists and dictionaries around it.
  mutating func begin(level: Int, depth: Int) {
    self.level = level
    openCount = depth
    while bytesLeft.count <= level { bytesLeft.append(Self.bytes) }
  }

  /// Enters a list or dictionary, which counts as a value.
  mutating func open() throws(LegacyFailure) {
    guard openCount < Self.depth else { throw .tooDeep(limit: Self.depth) }
    openCount += 1
    try charge(values: 1)
  }

  /// Leaves a list or dictionary.
  mutating func close() { openCount -= 1 }

  /// Charges a value and its content.
  mutating func charge(_ value: LegacyValue) throws(LegacyFailure) {
    try charge(values: 1)
    try charge(bytes: value.size)
  }

  /// Charges bytes to the current level.
  mutating func charge(bytes: Int) throws(LegacyFailure) {
    bytesLeft[level] -= bytes
    guard bytesLeft[level] >= 0 else { throw .tooLargeUnpacked(limit: Self.bytes) }
    try checkCancellation(after: bytes)
  }

  /// Charges values to the whole dump.
  mutating func charge(values: Int) throws(LegacyFailure) {
    valuesLeft -= values
    guard valuesLeft >= 0 else { throw .tooManyValues(limit: Self.values) }
    // For the interval of cancellation checks, a value costs about as much as 256 bytes.
    try checkCancellation(after: values << 8)
  }

  /// Charges decompressed or decoded bytes to the whole dump.
  mutating func charge(unpacked bytes: Int) throws(LegacyFailure) {
    unpackedLeft -= bytes
    guard unpackedLeft >= 0 else { throw .tooLargeUnpacked(limit: Self.unpacked) }
    try checkCancellation(after: bytes)
  }

  /// Charges the text of a note to the whole dump. Notes have a limit of their own because their
  /// normalization takes longer than all other processing.
  mutating func charge(noteBytes bytes: Int) throws(LegacyFailure) {
    noteBytesLeft -= bytes
    guard noteBytesLeft >= 0 else { throw .tooLargeUnpacked(limit: Self.bytes) }
    try checkCancellation(after: bytes)
  }

  /// Checks for cancellation if `cancellationInterval` bytes were processed since the last check,
  /// that is, every few milliseconds, except during a call that decodes Base64, UTF-16 or the
  /// escape sequences of a string, or sorts the names of unknown keys.
  ///
  /// - Parameter bytes: The number of bytes processed since the last call.
  /// - Throws: `cancelled` if the import was cancelled.
  mutating func checkCancellation(after bytes: Int) throws(LegacyFailure) {
    passed += bytes
    guard passed >= Self.cancellationInterval else { return }
    passed = 0
    if isCancelled() { throw .cancelled }
  }

  /// The number of bytes to process between two checks for cancellation.
  static let cancellationInterval = 1 << 16
}

/// What a dump may use up, over all the containers in it.
///
/// A small file can ask for much: doubled references, nested lists, a few bytes that
/// unpack to gigabytes, one such text under a thousand keys. Whatever is read, unpacked or
/// decoded is charged here first, and here it is asked whether to go on.
struct Budget {
  /// Bytes of a file, of what it unpacks to, and of the texts and data at each level of
  /// containers in containers: no honest level holds more than the one around it.
  static let bytes = 16 << 20
  /// Bytes that are unpacked, decoded or taken for a container inside of the file, over
  /// all levels and keys: a gzip of the largest file, its texts and their Base64 are 44 MB.
  static let unpacked = 48 << 20
  /// Lists and dictionaries in each other, those of inner containers included.
  static let depth = 32
  /// Values over all levels, the keys of dictionaries not counted.
  static let values = 200_000

  private let isCancelled: () -> Bool
  private var valuesLeft = values
  private var bytesLeft: [Int] = []
  private var unpackedLeft = unpacked
  private var noteBytesLeft = bytes
  private var level = 0
  private var openCount = 0
  /// Bytes gone through since it was last asked whether to go on.
  private var passed = 0

  init(isCancelled: @escaping () -> Bool) {
    self.isCancelled = isCancelled
  }

  /// Begins to read a container.
  ///
  /// - Parameters:
  ///   - level: how many containers it is in.
  ///   - depth: how many lists and dictionaries it is in.
  mutating func begin(level: Int, depth: Int) {
    self.level = level
    openCount = depth
    while bytesLeft.count <= level { bytesLeft.append(Self.bytes) }
  }

  mutating func open() throws(LegacyFailure) {
    guard openCount < Self.depth else { throw .tooDeep(limit: Self.depth) }
    openCount += 1
    try charge(values: 1)
  }

  mutating func close() { openCount -= 1 }

  mutating func charge(_ value: LegacyValue) throws(LegacyFailure) {
    try charge(values: 1)
    try charge(bytes: value.size)
  }

  mutating func charge(bytes: Int) throws(LegacyFailure) {
    bytesLeft[level] -= bytes
    guard bytesLeft[level] >= 0 else { throw .tooLargeUnpacked(limit: Self.bytes) }
    try pass(bytes)
  }

  mutating func charge(values: Int) throws(LegacyFailure) {
    valuesLeft -= values
    guard valuesLeft >= 0 else { throw .tooManyValues(limit: Self.values) }
    // About what a value costs, as against a byte.
    try pass(values << 8)
  }

  mutating func charge(unpacked bytes: Int) throws(LegacyFailure) {
    unpackedLeft -= bytes
    guard unpackedLeft >= 0 else { throw .tooLargeUnpacked(limit: Self.unpacked) }
    try pass(bytes)
  }

  /// The notes of all levels and keys together: to normalise them takes longer than all
  /// else that is done with a byte.
  mutating func charge(noteBytes bytes: Int) throws(LegacyFailure) {
    noteBytesLeft -= bytes
    guard noteBytesLeft >= 0 else { throw .tooLargeUnpacked(limit: Self.bytes) }
    try pass(bytes)
  }

  /// Asks now and then whether to go on: after 64 KB at the latest, a few milliseconds.
  ///
  /// - Parameter bytes: gone through since the last call.
  mutating func pass(_ bytes: Int) throws(LegacyFailure) {
    passed += bytes
    guard passed >= Self.askInterval else { return }
    passed = 0
    if isCancelled() { throw .cancelled }
  }

  static let askInterval = 1 << 16
}

/// What a dump may use up, over all the containers in it.
///
/// A small file can ask for much: doubled references, nested lists, a few bytes that
/// unpack to gigabytes. Whatever is read is charged here first.
struct Budget {
  /// Bytes of a file, of what it unpacks to, and of the texts and data at each level of
  /// containers in containers: no honest level holds more than the one around it.
  static let bytes = 16 << 20
  /// Lists and dictionaries in each other, those of inner containers included.
  static let depth = 32
  /// Values over all levels, the keys of dictionaries not counted.
  static let values = 200_000

  private let isCancelled: () -> Bool
  private var valuesLeft = values
  private var bytesLeft: [Int] = []
  private var level = 0
  private var openCount = 0

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
  }

  mutating func charge(values: Int) throws(LegacyFailure) {
    valuesLeft -= values
    guard valuesLeft >= 0 else { throw .tooManyValues(limit: Self.values) }
    if valuesLeft % 256 == 0 { try checkCancellation() }
  }

  func checkCancellation() throws(LegacyFailure) {
    if isCancelled() { throw .cancelled }
  }
}

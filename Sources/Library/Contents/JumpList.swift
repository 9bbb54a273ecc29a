public import Quran

/// The places from which the user jumped to another ayah, to go back to them and forward again.
///
///     var jumps = JumpList()
///     jumps.leave(AyahID("20:53")!)              // The user opens 2:69.
///     jumps.back(from: AyahID("2:69")!)          // 20:53
///     jumps.forward(from: AyahID("20:53")!)      // 2:69
public struct JumpList: Hashable, Sendable {
  /// The maximum number of places to go back to.
  static let limit = 50

  /// The places to go back to, the nearest one last.
  private var earlier: [AyahID] = []
  /// The places to go forward to, the nearest one last.
  private var later: [AyahID] = []
  /// The ayah that was left last, in any direction; nil if there is none.
  public private(set) var last: AyahID?
  /// The target of the last step; see `step(from:to:)`.
  private var stepTarget: AyahID?

  /// Creates an empty list.
  public init() {}

  /// Adds the stored places when the library is open. They come before those of this session.
  ///
  /// - Parameters:
  ///   - stored: A string from `stored`; other words in it are ignored.
  ///   - place: A place to go back to that was left before the places of this session; nil for
  ///     none.
  public mutating func load(_ stored: String, place: AyahID?) {
    var places = stored.split(separator: " ").compactMap { AyahID(String($0)) }
    if let place { places.append(place) }
    places += earlier
    earlier = []
    for ayah in places { add(ayah) }
    last = last ?? earlier.last
  }

  /// The places to go back to, as a string for the library.
  public var stored: String { earlier.map(\.description).joined(separator: " ") }

  /// Records that the user leaves an ayah by a jump. There is nothing to go forward to after it.
  public mutating func leave(_ ayah: AyahID) {
    add(ayah)
    later = []
    last = ayah
    stepTarget = nil
  }

  /// Records one of several jumps that follow each other, such as those from hit to hit. Only the
  /// ayah before the first of these jumps is added to the list.
  public mutating func step(from ayah: AyahID, to target: AyahID) {
    if ayah != stepTarget { leave(ayah) }
    stepTarget = target
  }

  /// Returns the ayah to which `back` leads from an ayah; nil if there is none.
  public func previous(of cursor: AyahID) -> AyahID? { earlier.last { $0 != cursor } }

  /// Goes back, and returns the ayah to open; nil if there is none.
  public mutating func back(from cursor: AyahID) -> AyahID? {
    move(from: cursor, by: \.earlier, leaving: \.later)
  }

  /// Goes forward again, and returns the ayah to open; nil if there is none.
  public mutating func forward(from cursor: AyahID) -> AyahID? {
    move(from: cursor, by: \.later, leaving: \.earlier)
  }

  private mutating func move(
    from cursor: AyahID, by source: WritableKeyPath<Self, [AyahID]>,
    leaving other: WritableKeyPath<Self, [AyahID]>
  ) -> AyahID? {
    while let target = self[keyPath: source].popLast() {
      guard target != cursor else { continue }
      self[keyPath: other].append(cursor)
      last = cursor
      stepTarget = nil
      return target
    }
    return nil
  }

  private mutating func add(_ ayah: AyahID) {
    earlier.removeAll { $0 == ayah }
    earlier.append(ayah)
    earlier.removeFirst(max(earlier.count - Self.limit, 0))
  }
}

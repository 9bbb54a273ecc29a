public import Quran

/// The ayahs that the user left by jumps, to go back to them and forward again.
///
///     var jumps = JumpList()
///     jumps.leave(AyahID("20:53")!)              // The user opens 2:69.
///     jumps.back(from: AyahID("2:69")!)          // 20:53
///     jumps.forward(from: AyahID("20:53")!)      // 2:69
public struct JumpList: Hashable, Sendable {
  /// The maximum number of ayahs to go back to.
  static let limit = 50

  /// The ayahs to go back to. The last one is next.
  private var earlier: [AyahID] = []
  /// The ayahs to go forward to. The last one is next.
  private var later: [AyahID] = []
  /// The ayah that was left last: by a jump, or by going back or forward; nil if there is none.
  public private(set) var lastLeftAyah: AyahID?
  /// The target of the last step; see `step(from:to:)`.
  private var stepTarget: AyahID?

  /// Creates an empty list.
  public init() {}

  /// Adds the stored ayahs before those of this session. Called once the library is open.
  ///
  /// - Parameters:
  ///   - stored: A string from `stored`; words that are not ayahs are ignored.
  ///   - place: The reading place if the user has jumped away from it, to add after the stored
  ///     ayahs; otherwise nil.
  public mutating func load(_ stored: String, place: AyahID?) {
    var ayahs = stored.split(separator: " ").compactMap { AyahID(String($0)) }
    if let place { ayahs.append(place) }
    ayahs += earlier
    earlier = []
    for ayah in ayahs { add(ayah) }
    lastLeftAyah = lastLeftAyah ?? earlier.last
  }

  /// The ayahs to go back to, as a string for the library.
  public var stored: String { earlier.map(\.description).joined(separator: " ") }

  /// Adds an ayah that the user leaves by a jump, and removes the ayahs to go forward to.
  public mutating func leave(_ ayah: AyahID) {
    add(ayah)
    later = []
    lastLeftAyah = ayah
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
    move(from: cursor, popping: \.earlier, pushing: \.later)
  }

  /// Goes forward again, and returns the ayah to open; nil if there is none.
  public mutating func forward(from cursor: AyahID) -> AyahID? {
    move(from: cursor, popping: \.later, pushing: \.earlier)
  }

  private mutating func move(
    from cursor: AyahID, popping source: WritableKeyPath<Self, [AyahID]>,
    pushing target: WritableKeyPath<Self, [AyahID]>
  ) -> AyahID? {
    while let ayah = self[keyPath: source].popLast() {
      guard ayah != cursor else { continue }
      self[keyPath: target].append(cursor)
      lastLeftAyah = cursor
      stepTarget = nil
      return ayah
    }
    return nil
  }

  private mutating func add(_ ayah: AyahID) {
    earlier.removeAll { $0 == ayah }
    earlier.append(ayah)
    earlier.removeFirst(max(earlier.count - Self.limit, 0))
  }
}

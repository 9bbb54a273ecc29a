public import Quran

/// The ayah at which reading continues.
///
/// It follows reading. A jump to another ayah does not change it until the user confirms that, or
/// reads three ayahs or one page from there.
///
///     var place = ReadingPlace()
///     place.begin(at: AyahID("20:53"), cursor: nil)
///     place.jump(to: AyahID("2:69")!)
///     place.ayah         // 20:53
///     place.isLooking    // true
public struct ReadingPlace: Hashable, Sendable {
  private struct Look: Hashable {
    /// The ayah of the last jump.
    var start: AyahID
    /// The number of rows read from there.
    var rows = 0
  }

  /// The ayah at which reading continues; nil if reading never began, and until that is known.
  public private(set) var ayah: AyahID?
  /// The ayah before the last jump that was confirmed, to jump back to.
  public private(set) var left: AyahID?
  private var look: Look?
  private var isKnown = false

  /// The number of ayahs to read after a jump until it is confirmed.
  static let ayahsToStay = 3

  /// Creates a place that is not known yet.
  public init() {}

  /// Whether the user has jumped to another ayah, and that is not confirmed.
  public var isLooking: Bool { look != nil && ayah != nil }

  /// Sets the stored place.
  ///
  /// - Parameters:
  ///   - stored: Nil if reading never began.
  ///   - cursor: The ayah under the cursor; nil if no text is open.
  public mutating func begin(at stored: AyahID?, cursor: AyahID?) {
    isKnown = true
    guard ayah == nil else { return }
    ayah = stored ?? cursor
    if ayah == cursor { look = nil }
  }

  /// Jumps to an ayah.
  public mutating func jump(to target: AyahID) {
    if isKnown, ayah == nil { ayah = target }
    look = target == ayah ? nil : Look(start: target)
  }

  /// Moves the cursor by reading forward or backward.
  ///
  /// - Parameters:
  ///   - cursor: The ayah under the cursor after it.
  ///   - rows: The number of rows of the screen, negative for backward.
  ///   - page: The number of rows of a page.
  public mutating func read(to cursor: AyahID, rows: Int = 0, page: Int = .max) {
    guard var look else {
      ayah = cursor
      return
    }
    look.rows = max(look.rows + rows, 0)
    self.look = cursor == ayah ? nil : look
    if cursor.index - look.start.index >= Self.ayahsToStay || look.rows >= page {
      stay(at: cursor)
    }
  }

  /// Confirms the jump: reading continues here.
  public mutating func stay(at cursor: AyahID) {
    if look != nil, let ayah, ayah != cursor { left = ayah }
    look = nil
    ayah = cursor
  }
}

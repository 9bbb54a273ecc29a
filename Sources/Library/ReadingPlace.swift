public import Quran

/// Where reading goes on, and whether the reader only looks at another place now.
///
/// The place follows reading. A jump to another ayah starts a look, which leaves the place where it
/// was. The look ends, and the place moves there, when the reader confirms it or has read on for
/// three ayahs or one page.
///
///     var place = ReadingPlace()
///     place.begin(at: AyahID("20:53"), cursor: nil)
///     place.jump(to: AyahID("2:69")!)
///     place.ayah         // 20:53
///     place.isLooking    // true
public struct ReadingPlace: Hashable, Sendable {
  private struct Look: Hashable {
    /// Where the last jump led.
    var start: AyahID
    /// Rows read on from there.
    var rows = 0
  }

  /// Where reading goes on; nil where it was never begun, and as long as that is not known.
  public private(set) var ayah: AyahID?
  /// The place before the last look moved it, for jumping back.
  public private(set) var left: AyahID?
  private var look: Look?
  private var isKnown = false

  /// How many ayahs are read on until a look ends.
  static let ayahsToStay = 3

  public init() {}

  /// Whether the reader looks at another place than this.
  public var isLooking: Bool { look != nil && ayah != nil }

  /// The library tells where reading was left.
  ///
  /// - Parameters:
  ///   - stored: nil where it was never begun.
  ///   - cursor: where the reader is already; nil where no text was opened.
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

  /// The reader reads on, or back.
  ///
  /// - Parameters:
  ///   - cursor: where that leads.
  ///   - rows: how many rows of the screen; negative for back.
  ///   - page: the rows of a page.
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

  /// The look ends, and the place moves here.
  public mutating func stay(at cursor: AyahID) {
    if look != nil, let ayah, ayah != cursor { left = ayah }
    look = nil
    ayah = cursor
  }
}

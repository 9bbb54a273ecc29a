public import Quran

/// The ayah at which reading continues.
///
/// It moves with the cursor while the user reads. A jump to another ayah does not move it until the
/// user confirms the jump, or reads three ayahs or one page from the target.
///
///     var place = ReadingPlace()
///     place.load(AyahID("20:53"), cursor: nil)
///     place.jump(to: AyahID("2:69")!)
///     place.ayah           // 20:53
///     place.isJumpPending  // true
public struct ReadingPlace: Hashable, Sendable {
  private struct PendingJump: Hashable {
    /// The ayah of the last jump.
    var start: AyahID
    /// The number of rows read from there.
    var rows = 0
  }

  /// The ayah at which reading continues. Nil if reading never began, or if the stored place is not
  /// loaded yet.
  public private(set) var ayah: AyahID?
  private var pendingJump: PendingJump?
  private var isKnown = false

  /// The number of ayahs to read after a jump until it is confirmed.
  static let ayahsToConfirm = 3

  /// Creates a place before the library is open: `load` sets the stored place.
  public init() {}

  /// Whether the last jump is not confirmed yet.
  public var isJumpPending: Bool { pendingJump != nil && ayah != nil }

  /// Sets the place to the stored one when the library is open. A place that is already set stays.
  ///
  /// - Parameters:
  ///   - stored: Nil if reading never began.
  ///   - cursor: The ayah under the cursor; nil if no text is open.
  public mutating func load(_ stored: AyahID?, cursor: AyahID?) {
    isKnown = true
    guard ayah == nil else { return }
    ayah = stored ?? cursor
    if ayah == cursor { pendingJump = nil }
  }

  /// Jumps to an ayah.
  public mutating func jump(to target: AyahID) {
    if isKnown, ayah == nil { ayah = target }
    pendingJump = target == ayah ? nil : PendingJump(start: target)
  }

  /// Records that the user moved the cursor by reading forward or backward. Confirms the last jump
  /// after three ayahs or one page, and discards it if the cursor is at the place again.
  ///
  /// - Parameters:
  ///   - cursor: The ayah under the cursor after the movement.
  ///   - rows: The number of rows by which the text was scrolled, or 1 for a step to the next ayah;
  ///     negative if backward.
  ///   - page: The number of rows that count as one page.
  public mutating func read(to cursor: AyahID, rows: Int = 0, page: Int = .max) {
    guard var pendingJump else {
      ayah = cursor
      return
    }
    pendingJump.rows = max(pendingJump.rows + rows, 0)
    self.pendingJump = cursor == ayah ? nil : pendingJump
    if cursor.index - pendingJump.start.index >= Self.ayahsToConfirm || pendingJump.rows >= page {
      confirm(at: cursor)
    }
  }

  /// Confirms the jump: reading continues here.
  public mutating func confirm(at cursor: AyahID) {
    pendingJump = nil
    ayah = cursor
  }
}

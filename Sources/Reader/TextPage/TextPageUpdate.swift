import Editions
import Library
import Messages
import Quran

// Moving through the text.
extension Model {
  /// Moves the selection of the list, or the position of the text.
  mutating func move(by count: Int, _ inText: (Pager, Reading) -> Reading) {
    if pane == .list {
      select(list.state.selection + count)
    } else {
      let next = inText(pager, reading)
      countAsRead(from: reading.cursor, to: next.cursor)
      if count > 0, next == reading, next.cursor == .last { countAsRead(.last) }
      setReading(next)
      place.read(to: next.cursor, rows: count, page: max((geometry.text?.height ?? 1) - 1, 1))
    }
  }

  /// Moves by a page or by half a page.
  ///
  /// - Parameter direction: 1 for forward, -1 for back.
  mutating func page(half: Bool, _ direction: Int) {
    let height = (pane == .list ? geometry.list : geometry.text)?.height ?? 1
    // A full page keeps one row in view, so that the eye finds the place again.
    let count = direction * max(half ? height / 2 : height - 1, 1)
    move(by: count) { $0.scroll($1, by: count) }
  }

  mutating func jumpToEnd(last: Bool) {
    if pane == .list {
      select(last ? list.count - 1 : 0)
    } else {
      let surah = reading.cursor.surah
      let ayah = last ? surah.lastAyah : surah.firstAyah
      if ayah != reading.cursor { recordJump(to: ayah) }
      setReading(
        last ? pager.show(Reading(cursor: ayah, top: reading.top)) : pager.open(ayah))
    }
  }

  mutating func stepSurah(_ count: Int) {
    if pane == .list {
      select(list.state.selection + count)
    } else if let surah = SurahNumber(reading.cursor.surah.rawValue + count) {
      open(surah.firstAyah)
    } else {
      showMessage(count > 0 ? messages.endOfBook : messages.startOfBook)
    }
  }

  /// Sets the position of the text.
  mutating func setReading(_ new: Reading) {
    if new == reading {
      if new.cursor == .last { showMessage(messages.endOfBook) }
      if new.cursor == .first { showMessage(messages.startOfBook) }
    }
    let isElsewhere =
      new.cursor.surah != reading.cursor.surah || new.cursor.juz != reading.cursor.juz
    reading = new
    hasBegun = true
    if isElsewhere { followReading() }
  }

  /// Opens the text at an ayah.
  mutating func open(_ ayah: AyahID) {
    pane = .text
    typeset()
    hasBegun = true
    recordJump(to: ayah)
    reading = pager.open(ayah)
    followReading()
  }

  /// Updates the reading place and browsing after a jump to an ayah.
  mutating func recordJump(to ayah: AyahID) {
    place.jump(to: ayah)
    updateBrowsing(at: ayah)
  }

  /// Returns to the place where reading continues or, from there, to the previous place.
  mutating func jumpBack() {
    let target = place.isLooking ? place.ayah : place.left
    if let target, target != reading.cursor || pane == .list {
      open(target)
    } else {
      showMessage(messages.noPlaceToJumpBackTo)
    }
  }

  /// The place where reading continues: in this session, else as the library says, which an import
  /// may have changed; nil if reading has not begun.
  var nextPlace: AyahID? {
    place.ayah ?? (hasBegun ? reading.cursor : libraryState.shown.continueReading)
  }

  /// Lays the text out for the size, and keeps the position.
  mutating func typeset() {
    lists.preview = nil
    fitNote()
    // A text that is not shown is laid out when it is.
    guard let area = geometry.text else { return }
    let width = max(area.width, 1)
    // Marks are laid out only in flow layout; in verse layout they are drawn in the margin.
    let marks = layout == .flow ? libraryState.flowMarks : [:]
    let editions = shownEditions
    let isSideBySide = texts.shown.isSideBySide
    if typesetter.width == width, typesetter.layout == layout, typesetter.marks == marks,
      typesetter.isSideBySide == isSideBySide,
      Set(typesetter.editions.map(\.info)) == Set(editions.map(\.info))
    {
      reading = pager.show(reading)
      return
    }
    let bookmark = Pager(typesetter, height: area.height).bookmark(reading)
    typesetter = Typesetter(
      editions, layout: layout, isSideBySide: isSideBySide, width: width, marks: marks)
    reading = pager.restore(cursor: reading.cursor, at: bookmark)
  }

  /// Copies the ayah with its reference, or a link to it.
  mutating func copy(link: Bool) -> [Effect] {
    guard let ayah = targetAyah else {
      showMessage(messages.openFirst)
      return []
    }
    if link {
      let link = DeepLink(ayah).description
      showMessage(messages.copied(link))
      return [.copy(link)]
    }
    showMessage(messages.copied(ayah.description))
    let source = messages.copySource(
      "\(ayah)", surah: ayah.surah.surah.transliteration,
      edition: edition.info.isBundled ? edition.info.title : messages.credit(of: edition.info))
    return [.copy("\(edition.text(of: ayah))\n\(source)")]
  }
}

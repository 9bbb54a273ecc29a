import Editions
import Library
import Messages
import Quran

// Moving through the text.
extension Model {
  /// Moves the selection of the list, or the place in the text.
  mutating func move(by count: Int, _ inText: (Pager, Reading) -> Reading) {
    if pane == .list {
      select(list.state.selection + count)
    } else {
      let next = inText(pager, reading)
      leave(from: reading.cursor, to: next.cursor)
      if count > 0, next == reading, next.cursor == .last { leave(.last) }
      read(next)
      place.read(to: next.cursor, rows: count, page: max((geometry.text?.height ?? 1) - 1, 1))
    }
  }

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
      if ayah != reading.cursor { jumped(to: ayah) }
      read(
        last ? pager.show(Reading(cursor: ayah, top: reading.top)) : pager.open(ayah))
    }
  }

  mutating func stepSurah(_ count: Int) {
    if pane == .list {
      select(list.state.selection + count)
    } else if let surah = SurahNumber(reading.cursor.surah.rawValue + count) {
      open(surah.firstAyah)
    } else {
      say(count > 0 ? messages.endOfBook : messages.startOfBook)
    }
  }

  /// Takes a new place in the text.
  mutating func read(_ new: Reading) {
    if new == reading {
      if new.cursor == .last { say(messages.endOfBook) }
      if new.cursor == .first { say(messages.startOfBook) }
    }
    let isElsewhere =
      new.cursor.surah != reading.cursor.surah || new.cursor.juz != reading.cursor.juz
    reading = new
    hasBegun = true
    if isElsewhere { followReading() }
  }

  /// Shows an ayah in the text pane.
  mutating func open(_ ayah: AyahID) {
    pane = .text
    typeset()
    hasBegun = true
    jumped(to: ayah)
    reading = pager.open(ayah)
    followReading()
  }

  /// Updates the reading place and browsing after a jump to an ayah.
  mutating func jumped(to ayah: AyahID) {
    place.jump(to: ayah)
    arrived(at: ayah)
  }

  /// Back to where reading goes on; from there, to where it went on before.
  mutating func jumpBack() {
    let target = place.isLooking ? place.ayah : place.left
    if let target, target != reading.cursor || pane == .list {
      open(target)
    } else {
      say(messages.noPlaceToJumpBackTo)
    }
  }

  /// Where reading goes on: where it is, else where the library says it was left, as an
  /// import may have told it. Nil where it was never begun.
  var nextPlace: AyahID? {
    place.ayah ?? (hasBegun ? reading.cursor : libraryState.shown.continueReading)
  }

  /// Lays the text out for the size, keeping the place.
  mutating func typeset() {
    preview = nil
    fitNote()
    // Where the text is not shown, nothing is laid out until it is.
    guard let area = geometry.text else { return }
    let width = max(area.width, 1)
    // In the margin they stand beside the text; within it they take room.
    let marks = layout == .flow ? libraryState.flowMarks : [:]
    if typesetter.width == width, typesetter.layout == layout, typesetter.marks == marks {
      reading = pager.show(reading)
      return
    }
    let bookmark = Pager(typesetter, height: area.height).bookmark(reading)
    typesetter = Typesetter(edition, layout: layout, width: width, marks: marks)
    reading = pager.restore(cursor: reading.cursor, at: bookmark)
  }

  mutating func copy(link: Bool) -> [Effect] {
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    if link {
      let link = DeepLink(ayah).description
      say(messages.copied(link))
      return [.copy(link)]
    }
    say(messages.copied(ayah.description))
    let source = messages.copySource(
      "\(ayah)", surah: ayah.surah.surah.transliteration, edition: edition.info.title)
    return [.copy("\(edition.text(of: ayah))\n\(source)")]
  }
}

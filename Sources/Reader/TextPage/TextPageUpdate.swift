import Editions
import Library
import Messages
import Quran

// Moves through the text, and lays it out.
extension Model {
  /// Moves the selection if the list has the focus; otherwise moves the text, and counts the ayahs
  /// that the cursor passes as read.
  ///
  /// - Parameters:
  ///   - count: The number of rows of the list or of the text, negative for backward.
  ///   - inText: Returns the new position of the text.
  mutating func move(by count: Int, _ inText: (Pager, TextPosition) -> TextPosition) {
    if pane == .list {
      select(list.state.selection + count)
    } else {
      let next = inText(pager, position)
      countAsRead(from: position.cursor, to: next.cursor)
      if count > 0, next == position, next.cursor == .last { countAsRead(.last) }
      setPosition(next)
      place.read(to: next.cursor, rows: count, page: max((geometry.text?.height ?? 1) - 1, 1))
    }
  }

  /// Moves by a page or by half a page.
  ///
  /// - Parameter direction: 1 for forward, -1 for back.
  mutating func page(half: Bool, _ direction: Int) {
    let height = (pane == .list ? geometry.list : geometry.text)?.height ?? 1
    // Paging keeps one row of the previous page visible, for orientation.
    let count = direction * max(half ? height / 2 : height - 1, 1)
    move(by: count) { $0.scroll($1, by: count) }
  }

  mutating func jumpToEnd(last: Bool) {
    if pane == .list {
      select(last ? list.count - 1 : 0)
    } else {
      let surah = position.cursor.surah
      let ayah = last ? surah.lastAyah : surah.firstAyah
      if ayah != position.cursor { recordJump(to: ayah) }
      setPosition(
        last ? pager.show(TextPosition(cursor: ayah, top: position.top)) : pager.open(ayah))
    }
  }

  mutating func stepSurah(_ count: Int) {
    if pane == .list {
      select(list.state.selection + count)
    } else if let surah = SurahNumber(position.cursor.surah.rawValue + count) {
      step(to: surah.firstAyah)
    } else {
      showMessage(count > 0 ? messages.endOfBook : messages.startOfBook)
    }
  }

  /// Sets the position of the text.
  mutating func setPosition(_ new: TextPosition) {
    if new == position {
      if new.cursor == .last { showMessage(messages.endOfBook) }
      if new.cursor == .first { showMessage(messages.startOfBook) }
    }
    let isInOtherSurahOrJuz =
      new.cursor.surah != position.cursor.surah || new.cursor.juz != position.cursor.juz
    position = new
    hasOpenedAyah = true
    if isInOtherSurahOrJuz { selectPositionInLists() }
  }

  // MARK: Jumps

  /// Opens the text at an ayah, to which the user jumps.
  mutating func open(_ ayah: AyahID) {
    recordJump(to: ayah)
    show(ayah)
  }

  /// Opens an ayah by one of several jumps that follow each other; see `JumpList.step(from:to:)`.
  ///
  /// - Parameter keepsPage: Whether the page stays as it is if the ayah is on it.
  mutating func step(to ayah: AyahID, keepsPage: Bool = false) {
    if hasOpenedAyah, ayah != position.cursor { jumps.step(from: position.cursor, to: ayah) }
    arrive(at: ayah)
    let shown = keepsPage && pane == .text ? position.top : nil
    show(ayah)
    let kept = shown.map { pager.show(TextPosition(cursor: ayah, top: $0)) }
    if let kept, kept.top == shown { position = kept }
  }

  /// Updates the jump list, the reading place and browsing before a jump to an ayah.
  mutating func recordJump(to ayah: AyahID) {
    if hasOpenedAyah, ayah != position.cursor { jumps.leave(position.cursor) }
    arrive(at: ayah)
  }

  /// Goes back or forward through the ayahs that the user left by jumps.
  mutating func jump(back: Bool) {
    let cursor = position.cursor
    guard let target = back ? jumps.back(from: cursor) : jumps.forward(from: cursor) else {
      showMessage(back ? messages.noAyahToJumpBackTo : messages.noAyahToJumpForwardTo)
      return
    }
    arrive(at: target)
    show(target)
  }

  private mutating func arrive(at ayah: AyahID) {
    place.jump(to: ayah)
    updateBrowsing(at: ayah)
  }

  private mutating func show(_ ayah: AyahID) {
    // A jump ends a selection. Only moving the cursor extends it.
    selectionStart = nil
    pane = .text
    typeset()
    hasOpenedAyah = true
    position = pager.open(ayah)
    selectPositionInLists()
  }

  /// The ayah at which reading continues: that of this session, or else the one stored in the
  /// library. Nil if nothing was ever read.
  var placeToContinue: AyahID? {
    place.ayah ?? (hasOpenedAyah ? position.cursor : libraryState.shown.continueReading)
  }

  /// Lays the text out for the current size and settings, and keeps the text at the top of the
  /// page.
  mutating func typeset() {
    lists.preview = nil
    layOutNotePane()
    // A hidden text is laid out later, when it is shown.
    guard let area = geometry.text else { return }
    let width = max(area.width, 1)
    // Annotations are laid out only in flow layout; in verse layout they are drawn in the margin.
    let annotations = layout == .flow ? libraryState.flowAnnotations : [:]
    let editions = shownEditions
    let translations = editions.infosWithoutOriginal
    let format = PageFormat(
      layout: layout, isSideBySide: texts.shown.isSideBySide, textWidth: settings.textWidth,
      hasBlankRows: settings.hasBlankRows, marks: settings.marks,
      namesTranslations: translations.count > 1 || translations.first != edition.info)
    let isOfSameHeight = area.height == textHeight
    // The words of a hit stay on the page if they were on it, and come back to it if their text was
    // hidden. If the user has scrolled them away, they stay away.
    let pagerBefore = Pager(typesetter, height: textHeight)
    let keepsMatches = rowsOfOpenedMatches.map { pagerBefore.shows($0, in: position) } ?? true
    textHeight = area.height
    defer {
      if keepsMatches, let rows = rowsOfOpenedMatches {
        position = pager.reveal(rows, in: position)
      }
    }
    if typesetter.width == width, typesetter.format == format,
      typesetter.annotations == annotations, typesetter.messages == messages,
      typesetter.requestedEditions == editions.map(\.info)
    {
      // A page that the user scrolled stays as it is: the ayah under the cursor may end below it.
      if !isOfSameHeight {
        position = pager.show(position, canHideHeading: geometry.note != nil)
      }
      return
    }
    let topText = Pager(typesetter, height: area.height).topText(of: position)
    typesetter = Typesetter(
      editions, format, width: width, messages: messages, annotations: annotations)
    position = pager.position(cursor: position.cursor, showing: topText)
  }
}

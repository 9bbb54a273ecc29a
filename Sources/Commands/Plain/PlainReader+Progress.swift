import Library
import Messages
import Quran

// The place and the progress of the plain mode.
extension PlainReader {
  /// Prints where the last printed ayah is, and where reading continues.
  func printPlace() throws(CommandFailure) {
    guard let ayah = ayah ?? place.ayah else { return try console.line(messages.openAyahFirst) }
    let surah = ayah.surah.surah
    try console.line(
      "\(ayah), \(surah.names), \(messages.juz) \(ayah.juz), \(messages.hizb) \(ayah.hizb), "
        + "\(messages.page) \(ayah.page), \(ayah.ayah * 100 / surah.ayahCount) %")
    if let sajda = ayah.sajda { try console.line(messages.sajda(sajda)) }
    if let place = place.ayah, place != ayah {
      try console.line(messages.plainElsewhere("\(place)"))
    }
  }

  /// Prints how much is read of the book and of the current surah, the streak, and the plan.
  func printProgress() throws(CommandFailure) {
    let today = Day(containing: now())
    let read = snapshot.readCount
    try console.line(
      "\(messages.wholeBook): \(messages.overall(read, of: AyahID.count)), "
        + "\(read * 100 / AyahID.count) %")
    if let surah = (ayah ?? place.ayah)?.surah {
      let percent = snapshot.lastReadAyah(of: surah) * 100 / surah.ayahCount
      try console.line(messages.progressIs(surah.surah.transliteration, percent))
    }
    let streak = Streak(snapshot.readingDays, today: today)
    try console.line(
      messages.streakLine(
        streak.current, longest: streak.longest, today: snapshot.readingDays[today] ?? 0))
    guard let plan = snapshot.khatmPlan else { return }
    let status = plan.status(on: today, readCount: read)
    try console.line(
      messages.khatmLine(plan.days, from: "\(plan.start)", to: "\(plan.end)"))
    try console.line(
      status.isDone
        ? "  \(messages.planFinished)"
        : messages.khatmStatus(
          status.day, done: status.done, due: status.due, left: status.left, ahead: status.ahead))
  }

  /// Marks the last printed ayah and those before it in the surah as read.
  mutating func markRead() throws(CommandFailure) {
    guard let ayah else { return try console.line(messages.openAyahFirst) }
    place.confirm(at: ayah)
    let before = snapshot.lastReadAyah(of: ayah.surah)
    guard before != ayah.ayah else { return try console.line(messages.alreadyRead("\(ayah)")) }
    let messages = messages
    try perform(.commit([.setProgress(ayah.surah, to: ayah.ayah)])) { _ in
      before > ayah.ayah
        ? messages.markedReadBack("\(ayah)", from: "\(ayah.surah):\(before)", "u")
        : messages.markedRead("\(ayah)", "u")
    }
  }
}

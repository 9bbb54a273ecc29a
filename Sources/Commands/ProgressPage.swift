import Library
import Messages
import Quran
import Text

/// The output of `quran-vi progress`: the surahs, the calendar, the streak, the plan, and the
/// overall progress, which comes last so that it is directly above the prompt.
struct ProgressPage {
  let snapshot: Snapshot
  let today: Day
  /// The width of the output.
  let columns: Int
  let messages: Messages

  var lines: [String] {
    surahs + [""] + calendar + [streak, ""] + plan + [overall]
  }

  // MARK: Surahs

  private var surahs: [String] {
    // The columns of the number, the bar, the percentage and the count next to the name.
    let counts = 3 + 2 + 2 + 8 + 6 + 9
    // Whether there is room for both names of every surah.
    let isWide = columns >= counts + 46
    let names = SurahNumber.all.map { isWide ? $0.surah.names : $0.surah.transliteration }
    let width = names.reduce(0) { max($0, $1.columns) }
    let bar = min(max(columns - width - counts + 8, 4), 20)
    return zip(SurahNumber.all, names).map { surah, name in
      let last = snapshot.lastReadAyah(of: surah)
      let number = "\(surah)".leftPadded(to: 3)
      let percentage = "\(last * 100 / surah.ayahCount) %".leftPadded(to: 5)
      let count = "\(last)/\(surah.ayahCount)".leftPadded(to: 7)
      return "\(number)  \(name.padded(to: width))  "
        + "\(TextBar.text(last, of: surah.ayahCount, width: bar)) \(percentage)  \(count)"
    }
  }

  // MARK: Days

  private var calendar: [String] {
    let weeks = min(max((columns - 4) / 2, 1), 26)
    let calendar = ReadingCalendar(snapshot.readingDays, today: today, weeks: weeks)
    return messages.weekdays.enumerated().map { weekday, name in
      let days = calendar.weeks.map { week in
        week.ayahs[weekday].map { Self.shades[calendar.level($0)] } ?? " "
      }
      var line = "\(name)  \(days.joined(separator: " "))"
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  private static let shades = ["·", "░", "▒", "▓", "█"]

  private var streak: String {
    let streak = Streak(snapshot.readingDays, today: today)
    return messages.streakLine(
      streak.current, longest: streak.longest, today: snapshot.readingDays[today] ?? 0)
  }

  private var plan: [String] {
    guard let plan = snapshot.khatmPlan else { return [] }
    let status = plan.status(on: today, readCount: snapshot.readCount)
    var lines = [messages.khatmLine(plan.days, from: "\(plan.start)", to: "\(plan.end)")]
    if status.isDone {
      lines.append("  \(messages.planFinished)")
    } else {
      lines.append(
        messages.khatmStatus(
          status.day, done: status.done, due: status.due, left: status.left, ahead: status.ahead))
      if let finish = status.finish { lines.append(messages.khatmFinish("\(finish)")) }
    }
    return lines
  }

  // MARK: Overall progress

  private var overall: String {
    let bar = TextBar.text(snapshot.readCount, of: AyahID.count, width: min(columns / 4, 20))
    let percentage = snapshot.readCount * 100 / AyahID.count
    return messages.overallLine(snapshot.readCount, of: AyahID.count, "\(bar) \(percentage) %")
  }
}

/// A horizontal bar of text that shows a fraction, such as `▓▓░░`.
enum TextBar {
  /// Returns the bar. It is full only if everything is done. If it has more than one column, it is
  /// empty only if nothing is done.
  static func text(_ done: Int, of total: Int, width: Int) -> String {
    let done = min(max(done, 0), max(total, 0))
    var filled = total > 0 ? Int(Double(done) / Double(total) * Double(width)) : 0
    if done > 0, width > 1 { filled = max(filled, 1) }
    if done < total { filled = min(filled, max(width - 1, 0)) }
    return String(repeating: "▓", count: filled)
      + String(repeating: "░", count: max(width - filled, 0))
  }
}

extension String {
  /// The string with spaces appended, at least `width` columns wide.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - columns, 0))
  }

  /// The string with spaces prepended, at least `width` columns wide.
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(width - columns, 0)) + self
  }
}

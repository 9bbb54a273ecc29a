import Library
import Messages
import Quran
import Terminal
import Text

/// A row of the progress screen.
enum ProgressRow {
  /// A row of the charts above the surahs: runs of text with their roles.
  case picture([(text: String, role: TextRole)])
  case surah(SurahNumber)
}

extension Model {
  func makeProgressRows() -> [ProgressRow] {
    let width = (geometry.list?.width ?? size.columns) - 3
    let lines =
      streakLines(width) + planLines(width) + [[]] + juzLines(width) + [[]]
      + calendarLines(width) + [[]]
    return lines.map(ProgressRow.picture) + SurahNumber.all.map(ProgressRow.surah)
  }

  private func streakLines(_ width: Int) -> [[(text: String, role: TextRole)]] {
    let days = libraryState.shown.readingDays
    let streak = Streak(days, today: today)
    // Nothing is shown before the first day of reading.
    guard streak.longest > 0 else { return [] }
    let parts = [
      messages.streak(streak.current), messages.readToday(days[today] ?? 0),
      messages.longestStreak(streak.longest),
    ]
    return wrapped(parts.joined(separator: " · "), width: width).map { [($0, .text)] }
  }

  private func planLines(_ width: Int) -> [[(text: String, role: TextRole)]] {
    wrapped("\(messages.plan): \(planStanding)", width: width).map { [($0, .text)] }
  }

  /// What is due today according to the plan, and how far ahead or behind the user is.
  private var planStanding: String {
    guard let plan = libraryState.shown.khatmPlan else {
      return messages.planUnset(key(.settings))
    }
    let status = plan.status(on: today, readCount: libraryState.shown.readCount)
    guard !status.isDone else { return messages.planFinished }
    let day = min(status.day, plan.days)
    let due =
      status.left == 0
      ? messages.planDone(day, of: plan.days)
      : messages.planDue(day, of: plan.days, left: status.left)
    switch status.ahead {
    case 0: return due
    case 1...: return "\(due), \(messages.planAhead(status.ahead))"
    default: return "\(due), \(messages.planBehind(-status.ahead))"
    }
  }

  private func juzLines(_ width: Int) -> [[(text: String, role: TextRole)]] {
    let perRow = width >= 50 ? 10 : 6
    var lines = [heading(messages.juzGrid, legend: messages.juzLegend, width)]
    for first in stride(from: 1, through: Division.juz.count, by: perRow) {
      lines.append(
        (first..<min(first + perRow, Division.juz.count + 1)).flatMap { juz in
          [
            (String(juz).padded(to: 3, alignment: .right) + " ", TextRole.faint),
            (Self.shade(libraryState.level(ofJuz: juz)), .mark),
          ]
        })
    }
    return lines
  }

  private func heading(
    _ title: String, legend: String, _ width: Int
  ) -> [(text: String, role: TextRole)] {
    [(title, .title), ("   \(legend)".fitted(to: width - title.columns), .faint)]
  }

  private func calendarLines(_ width: Int) -> [[(text: String, role: TextRole)]] {
    let count = min(max((width - 4) / 2, 1), 26)
    let calendar = ReadingCalendar(libraryState.shown.readingDays, today: today, weeks: count)
    var lines: [[(text: String, role: TextRole)]] = [
      heading(messages.calendar, legend: messages.calendarLegend, width),
      [("   \(months(of: calendar))", .faint)],
    ]
    for (weekday, name) in messages.weekdays.enumerated() {
      let days = calendar.weeks.map { week in
        week.ayahs[weekday].map { Self.shade(calendar.level($0)) } ?? " "
      }
      // Today is marked also if nothing was read yet.
      let isToday = weekday == today.weekday && days.last == Self.shade(0)
      let shown = isToday ? days.dropLast() + ["•"] : days[...]
      lines.append([("\(name) ", .faint), (shown.joined(separator: " "), .mark)])
    }
    return lines
  }

  /// The numbers of the months, each above the first week that begins in it. A week is two columns
  /// wide.
  private func months(of calendar: ReadingCalendar) -> String {
    var line = ""
    for (index, week) in calendar.weeks.enumerated() where week.monday.date.day <= 7 {
      line += String(repeating: " ", count: index * 2 - line.count) + "\(week.monday.date.month)"
    }
    return line
  }

  /// - Parameter level: 0…4.
  private static func shade(_ level: Int) -> String {
    ["·", "░", "▒", "▓", "█"][min(max(level, 0), 4)]
  }
}

extension LibraryState {
  /// Returns how much of a juz is read: 0 for nothing, 4 for all, 1…3 between.
  fileprivate func level(ofJuz juz: Int) -> Int {
    guard let ayahs = Division.juz.ayahs(of: juz) else { return 0 }
    var read = 0
    var surah: SurahNumber? = ayahs.lowerBound.surah
    while let number = surah, number <= ayahs.upperBound.surah {
      let first = number == ayahs.lowerBound.surah ? ayahs.lowerBound.ayah : 1
      let last = number == ayahs.upperBound.surah ? ayahs.upperBound.ayah : number.ayahCount
      read += max(min(shown.lastReadAyah(of: number), last) - first + 1, 0)
      surah = number.next
    }
    guard read > 0 else { return 0 }
    return read == ayahs.count ? 4 : min(max(read * 4 / ayahs.count, 1), 3)
  }
}

import FoundationEssentials
import Quran

/// A plan to read the rest of the book in a number of days, a khatm.
///
///     let plan = KhatmPlan(start: today, days: 30, readCount: 0)
///     plan?.status(on: today, readCount: 100).left   // 108: 208 are due today
///
/// It is stored as the setting `khatm`, for example `{"days":30,"read":0,"start":"2026-11-22"}`.
public struct KhatmPlan: Hashable, Sendable {
  /// The numbers of days that a plan may have.
  public static let days = 1...3650

  /// The first day.
  public let start: Day
  /// The number of days.
  public let days: Int
  /// The number of ayahs that were read before the first day, 0…6235.
  public let readBeforeStart: Int

  /// Creates a plan. Nil if `days` is not in `Self.days`, or `readCount` is not in 0…6236.
  ///
  /// - Parameter readCount: `Snapshot.readCount`. If the whole book was read, the plan is to read
  ///   it again.
  public init?(start: Day, days: Int, readCount: Int) {
    guard Self.days.contains(days), (0...AyahID.count).contains(readCount) else { return nil }
    self.start = start
    self.days = days
    readBeforeStart = readCount % AyahID.count
  }

  /// The last day.
  public var end: Day { start.advanced(by: days - 1) }

  /// The state of a plan on a day.
  public struct Status: Hashable, Sendable {
    /// The number of the day: 1 on the first day, 0 before, more than `days` after the last.
    public let day: Int
    /// The number of ayahs of the plan that were read. Negative if surahs were reset after its
    /// start.
    public let done: Int
    /// The number of ayahs that should be read by the end of the day.
    public let due: Int
    /// The number of ayahs that should have been read by the end of the previous day.
    public let dueBefore: Int
    /// The number of all ayahs of the plan.
    public let total: Int
    /// The day on which all are read at the present pace; nil before the first day of the plan, and
    /// if none or all were read.
    public let finish: Day?

    /// Whether all ayahs of the plan were read.
    public var isDone: Bool { done >= total }
    /// Positive: the number of ayahs read beyond the plan for today. Negative: the number of ayahs
    /// of previous days that were not read. 0 while only ayahs of today are left.
    public var ahead: Int { done > due ? done - due : min(done - dueBefore, 0) }
    /// The number of ayahs that are left to read today.
    public var left: Int { max(due - done, 0) }
  }

  /// Returns the state of the plan on a day.
  ///
  /// - Parameter readCount: `Snapshot.readCount`.
  public func status(on today: Day, readCount: Int) -> Status {
    let total = AyahID.count - readBeforeStart
    let done = readCount - readBeforeStart
    let day = max(today.number - start.number + 1, 0)
    func due(by day: Int) -> Int { (total * min(day, days) + days - 1) / days }
    var finish: Day?
    if done > 0, done < total, day > 0 {
      finish = today.advanced(by: ((total - done) * day + done - 1) / done)
    }
    return Status(
      day: day, done: done, due: due(by: day), dueBefore: due(by: max(day - 1, 0)), total: total,
      finish: finish)
  }
}

extension KhatmPlan {
  private struct Value: Codable {
    let start: String
    let days: Int
    let read: Int?
  }

  /// Creates a plan from the value of its setting. Nil if that is not a plan.
  ///
  /// - Parameter setting: JSON.
  public init?(setting: String) {
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(setting.utf8)),
      let start = Day(value.start)
    else { return nil }
    self.init(start: start, days: value.days, readCount: value.read ?? 0)
  }

  /// The value of the setting, as JSON.
  public var setting: String {
    #"{"days":\#(days),"read":\#(readBeforeStart),"start":"\#(start)"}"#
  }
}

extension Snapshot {
  /// The plan to read the book; nil if there is none.
  public var khatmPlan: KhatmPlan? {
    settings[SettingKey.khatm.rawValue].flatMap(KhatmPlan.init(setting:))
  }

  /// The part of the book that was read, 0…100.
  public var percentage: Double { Double(readCount) / Double(AyahID.count) * 100 }
}

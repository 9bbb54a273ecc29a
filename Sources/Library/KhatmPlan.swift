import FoundationEssentials
import Quran

/// A plan to read what is left of the book in a number of days: a khatm.
///
///     let plan = KhatmPlan(start: today, days: 30, readCount: 0)
///     plan?.standing(on: today, readCount: 100).ahead   // -108: 208 are due today
///
/// It is the setting `khatm`, as `{"days":30,"read":0,"start":"2026-11-22"}`.
public struct KhatmPlan: Hashable, Sendable {
  /// How many days a plan may have.
  public static let days = 1...3650

  /// The first day.
  public let start: Day
  public let days: Int
  /// Ayahs that were read before the first day, 0…6235.
  public let read: Int

  /// - Parameter readCount: `Snapshot.readCount`. Where the whole book was read, the
  ///   plan is for reading it again, once its surahs are begun anew.
  /// - Returns: nil where no plan has so many days.
  public init?(start: Day, days: Int, readCount: Int) {
    guard Self.days.contains(days), (0...AyahID.count).contains(readCount) else { return nil }
    self.start = start
    self.days = days
    read = readCount % AyahID.count
  }

  /// The day by whose end the book is read.
  public var end: Day { start.advanced(by: days - 1) }

  /// How a plan goes on a day.
  public struct Standing: Hashable, Sendable {
    /// 1 on the first day; 0 before; more than the plan's where that is over.
    public let day: Int
    /// Ayahs of the plan that are read. Below 0 where surahs were begun anew since.
    public let done: Int
    /// Ayahs that are to be read by the end of the day.
    public let due: Int
    /// Ayahs of the plan in all.
    public let total: Int
    /// When all will be read if it goes on like this; nil where nothing was read yet,
    /// and where all is.
    public let finish: Day?

    public var isDone: Bool { done >= total }
    /// Ayahs ahead of the plan; behind it, below 0.
    public var ahead: Int { done - due }
    /// Ayahs yet to be read on this day.
    public var left: Int { max(due - done, 0) }
  }

  public func standing(on today: Day, readCount: Int) -> Standing {
    let total = AyahID.count - read
    let done = readCount - read
    let day = max(today.number - start.number + 1, 0)
    let due = (total * min(day, days) + days - 1) / days
    var finish: Day?
    if done > 0, done < total, day > 0 {
      finish = today.advanced(by: ((total - done) * day + done - 1) / done)
    }
    return Standing(day: day, done: done, due: due, total: total, finish: finish)
  }
}

extension KhatmPlan {
  private struct Value: Codable {
    let start: String
    let days: Int
    let read: Int?
  }

  /// The plan that a setting holds; nil where it holds none.
  ///
  /// - Parameter setting: a JSON value as text.
  public init?(setting: String) {
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(setting.utf8)),
      let start = Day(value.start)
    else { return nil }
    self.init(start: start, days: value.days, readCount: value.read ?? 0)
  }

  /// The plan as the value of its setting.
  public var setting: String { #"{"days":\#(days),"read":\#(read),"start":"\#(start)"}"# }
}

extension Snapshot {
  /// The plan to finish the book, where there is one.
  public var khatmPlan: KhatmPlan? {
    settings[SettingKey.khatm.rawValue].flatMap(KhatmPlan.init(setting:))
  }

  /// How much of the book is read: 0…100.
  public var percentage: Double { Double(readCount) / Double(AyahID.count) * 100 }
}

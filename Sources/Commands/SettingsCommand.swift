import FoundationEssentials
import Library
import Messages
import Text

/// `quran-vi settings`: shows and changes the settings that are synced between devices.
public struct SettingsCommand {
  /// An action of the command.
  public enum Action: Hashable, Sendable {
    case list
    case get(String)
    case set(String, String)
  }

  private let action: Action
  private let asJSON: Bool
  private let access: LibraryAccess

  public init(_ action: Action, asJSON: Bool, access: LibraryAccess) {
    self.action = action
    self.asJSON = asJSON
    self.access = access
  }

  private var messages: Messages { access.messages }

  /// Runs the command.
  ///
  /// - Throws: Status 1 if a setting has no value; 2 if there is no such setting or the value is
  ///   invalid.
  public func run(_ console: Console) throws(CommandFailure) {
    switch action {
    case .list:
      let settings = try access.openForReading().snapshot.settings
      let known = SettingKey.allCases.map(\.rawValue)
      let others = settings.keys.filter { !known.contains($0) }.sorted()
      if asJSON {
        try console.json((known + others).map { SettingEntry($0, settings[$0]) })
      } else {
        let width = known.map(\.count).reduce(0, max)
        try console.lines(
          known.map { name in
            let key = SettingKey(rawValue: name)
            return "\(name.padded(to: width))  "
              + "\(settings[name].map { shown($0, of: name) } ?? "–")".padded(to: 10)
              + (key.map { "  (\(choices(of: $0)))" } ?? "")
          } + others.map { "\($0.padded(to: width))  \(settings[$0] ?? "")" })
      }
    case .get(let name):
      let key = try key(name)
      guard let value = try access.openForReading().snapshot.settings[key.rawValue] else {
        throw CommandFailure(.notFound, messages.settingIsNotSet(key.rawValue))
      }
      try tell(key, value, console) { shown(value, of: key.rawValue) }
    case .set(let name, let text):
      let key = try key(name)
      let library = try access.openForChanges()
      let readCount = try access.explaining { try library.snapshot() }.readCount
      let value = try value(text, of: key, readCount)
      _ = try access.explaining {
        try library.commit([.set(key.rawValue, value)], at: access.now())
      }
      try tell(key, value, console) {
        "\(key.rawValue) = \(value.map { shown($0, of: key.rawValue) } ?? "off")"
      }
    }
  }

  private func tell(
    _ key: SettingKey, _ value: String?, _ console: Console, _ line: () -> String
  ) throws(CommandFailure) {
    if asJSON {
      try console.json([SettingEntry(key.rawValue, value)])
    } else {
      try console.line(line())
    }
  }

  // MARK: Keys and values

  private func key(_ name: String) throws(CommandFailure) -> SettingKey {
    guard let key = SettingKey(rawValue: name) else {
      throw CommandFailure(
        .usage, messages.noSuchSetting(name, SettingKey.allCases.map(\.rawValue)))
    }
    return key
  }

  /// - Returns: The JSON value to store, or nil to remove the setting.
  private func value(
    _ text: String, of key: SettingKey, _ readCount: Int
  ) throws(CommandFailure) -> String? {
    if key == .khatm {
      if text == "off" { return nil }
      let today = Day(containing: access.now())
      if let days = Int(text), let plan = KhatmPlan(start: today, days: days, readCount: readCount)
      {
        return plan.setting
      }
    } else if key.values.contains(text) {
      return key == .arabicNames ? text : "\"\(text)\""
    }
    throw CommandFailure(.usage, messages.noSuchValue(text, of: key.rawValue, choices(of: key)))
  }

  private func choices(of key: SettingKey) -> String {
    key == .khatm
      ? messages.khatmChoices(KhatmPlan.days.lowerBound, KhatmPlan.days.upperBound)
      : key.values.joined(separator: "|")
  }

  /// A stored value in the form in which users enter it.
  private func shown(_ value: String, of name: String) -> String {
    if name == SettingKey.khatm.rawValue, let plan = KhatmPlan(setting: value) {
      return "\(plan.days)"
    }
    return (try? JSONDecoder().decode(String.self, from: Data(value.utf8))) ?? value
  }
}

private struct SettingEntry: Encodable {
  let key: String
  let value: JSONValue?

  init(_ key: String, _ value: String?) {
    self.key = key
    self.value = value.flatMap {
      try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
    }
  }
}

/// Any JSON value.
private enum JSONValue: Codable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }
}

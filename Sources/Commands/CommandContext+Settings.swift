import CloudRecords
import FoundationEssentials
import Library
import Messages
import Text

// `quran-vi settings`, the settings that are synced between devices
extension CommandContext {
  /// Prints all settings with their values. If the user has not set a value, the default value is
  /// printed in parentheses. In JSON, `isDefault` is true for such a setting.
  public func listSettings() throws(CommandFailure) {
    let settings = try openForReading().snapshot.settings
    let known = SettingKey.allCases.map(\.rawValue)
    let others = settings.keys.filter { !known.contains($0) }.sorted()
    if asJSON {
      return try console.json(
        SettingKey.allCases.map { entry($0, settings[$0.rawValue]) }
          + others.map { SettingEntry(key: $0, value: .decoded(settings[$0]), isDefault: false) })
    }
    let values = SettingKey.allCases.map { key in
      settings[key.rawValue].map { shown($0, of: key) }
        ?? "(\(key.defaultValue))"
    }
    let width = known.map(\.count).reduce(0, max)
    let valueWidth = values.map(\.columns).reduce(0, max)
    try console.lines(
      zip(SettingKey.allCases, values).map { key, value in
        "\(key.rawValue.padded(to: width))  \(value.padded(to: valueWidth))  "
          + messages.values(of: key).joined(separator: "|")
      } + others.map { "\($0.padded(to: width))  \(settings[$0] ?? "")" })
  }

  /// Prints the value of a setting. If the user has not set one, the default value is printed with
  /// a warning. In JSON, there is no warning, and `isDefault` is true.
  ///
  /// - Throws: Status 2 if there is no such setting.
  public func getSetting(_ name: String) throws(CommandFailure) {
    let key = try key(name)
    let value = try openForReading().snapshot.settings[name]
    if value == nil, !asJSON { warn(messages.settingIsDefault(name)) }
    try report(key, value, value.map { shown($0, of: key) } ?? key.defaultValue)
  }

  /// Changes a setting.
  ///
  /// - Throws: Status 2 if there is no such setting or the value is invalid.
  public func setSetting(_ name: String, to text: String) throws(CommandFailure) {
    let key = try key(name)
    let library = try openForChanges()
    let readCount = try convertingFailures { try library.snapshot() }.readCount
    let value = try value(text, of: key, readCount)
    _ = try convertingFailures { try library.commit([.set(name, value)], at: now()) }
    try report(key, value, "\(name) = \(value.map { shown($0, of: key) } ?? key.defaultValue)")
  }

  private func report(
    _ key: SettingKey, _ value: String?, _ line: String
  ) throws(CommandFailure) {
    if asJSON {
      try console.json([entry(key, value)])
    } else {
      try console.line(line)
    }
  }

  private func entry(_ key: SettingKey, _ value: String?) -> SettingEntry {
    // There is no plan by default. `system` is not stored.
    let standard =
      key == .khatm ? nil : key.stored(key.defaultValue) ?? "\"\(key.defaultValue)\""
    return SettingEntry(
      key: key.rawValue, value: .decoded(value ?? standard), isDefault: value == nil)
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
    switch key {
    case .khatm:
      if text == "off" { return nil }
      let today = Day(containing: now())
      if let days = Int(text), let plan = KhatmPlan(start: today, days: days, readCount: readCount)
      {
        return plan.setting
      }
    case .width:
      if let columns = Int(text), TextWidth.columns.contains(columns) { return "\(columns)" }
    default:
      if key.values.contains(text) { return key.stored(text) }
    }
    throw CommandFailure(.usage, messages.noSuchValue(text, of: key))
  }

  /// A stored value in the form in which users enter it.
  private func shown(_ value: String, of key: SettingKey) -> String {
    if key == .khatm, let plan = KhatmPlan(setting: value) {
      return "\(plan.days)"
    }
    return (try? JSONDecoder().decode(String.self, from: Data(value.utf8))) ?? value
  }
}

private struct SettingEntry: Encodable {
  let key: String
  /// The value that applies; null if there is none.
  let value: JSONValue
  /// Whether `value` is the default value because the user has not set one.
  let isDefault: Bool
}

extension JSONValue {
  fileprivate static func decoded(_ text: String?) -> JSONValue {
    text.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) } ?? .null
  }
}

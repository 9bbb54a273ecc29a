import Foundation
import Library
import Testing

struct SettingValueTests {
  /// The keys and the settings screen go through the values in this order.
  @Test func theValuesHaveAnOrder() {
    #expect(SettingKey.marks.values == ["off", "juz", "page"])
    #expect(SettingKey.layout.values == ["verse", "flow"])
  }

  @Test func defaultsAndSuggestionsAreAllowedValues() {
    for key in SettingKey.allCases where !key.values.isEmpty {
      #expect(key.suggestions == key.values, "\(key)")
      #expect(key.values.contains(key.defaultValue), "\(key)")
    }
    #expect(SettingKey.width.defaultValue == "72" && TextWidth.columns.contains(72))
    #expect(
      SettingKey.width.suggestions.compactMap(Int.init).allSatisfy(TextWidth.columns.contains))
    #expect(SettingKey.khatm.suggestions.first == SettingKey.khatm.defaultValue)
  }

  @Test func wordsAreStoredAsStringsAndTheOthersAsTheyAre() throws {
    for key in SettingKey.allCases {
      for value in key.values where value != SettingKey.systemLanguage {
        let json = try #require(key.stored(value))
        let stored = try JSONSerialization.jsonObject(
          with: Data(json.utf8), options: .fragmentsAllowed)
        switch key {
        case .arabicNames, .blankRows: #expect(stored as? Bool == (value == "true"), "\(key)")
        default: #expect(stored as? String == value, "\(key)")
        }
      }
    }
    #expect(SettingKey.width.stored("60") == "60")
    #expect(SettingKey.language.stored(SettingKey.systemLanguage) == nil)
  }

  @Test(arguments: [
    (nil, nil, true, ArabicMode.terminal, ArabicSetting.Reason.knownToReorder),
    (nil, nil, false, .shaped, .notKnownToReorder),
    (nil, "off", true, .off, .chosen),
    (nil, "shaped", true, .shaped, .chosen),
    (nil, "unknown", false, .shaped, .notKnownToReorder),
    (ArabicMode.terminal, "off", false, .terminal, .configured),
  ])
  func theFilePrecedesTheChoiceAndTheChoiceTheTerminal(
    configured: ArabicMode?, chosen: String?, isKnownToReorder: Bool, mode: ArabicMode,
    reason: ArabicSetting.Reason
  ) {
    var setting = ArabicSetting(
      terminal: "vte", isKnownToReorder: isKnownToReorder, configured: configured)
    var device = [ArabicSetting(terminal: "xterm", isKnownToReorder: false).key: "terminal"]
    device[setting.key] = chosen
    setting.readChoice(from: device)
    #expect(setting.mode == mode)
    #expect(setting.reason == reason)
  }

  @Test(arguments: [0, 1_000_000_000_000, 1_767_225_599_999, 1_785_542_399_000] as [Int64])
  func aLocalTimeIsTheClocksInThisTimeZone(time: Int64) {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      [.year, .month, .day, .hour, .minute],
      from: Date(timeIntervalSince1970: Double(time) / 1000))
    let expected = String(
      format: "%04d-%02d-%02d %02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
      parts.hour ?? 0, parts.minute ?? 0)
    #expect(LocalTime(time).description == expected)
  }

  @Test func timesBefore1970AreRoundedDown() {
    #expect(LocalTime(-1) == LocalTime(-1000))
  }
}

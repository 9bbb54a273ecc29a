import CloudRecords
import Foundation
import Library
import Messages
import Testing

@testable import Commands

struct SettingsCommandTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
  }

  private func stored(_ key: SettingKey) throws -> String? {
    try fixture.snapshot().settings[key.rawValue]
  }

  @Test func valuesAreStoredAsJSON() throws {
    for (key, value, json) in [
      (SettingKey.theme, "sepia", "\"sepia\""), (.layout, "flow", "\"flow\""),
      (.language, "vi", "\"vi\""), (.arabicNames, "false", "false"),
      (.width, "100", "100"), (.blankRows, "true", "true"), (.marks, "page", "\"page\""),
    ] {
      #expect(
        try fixture.settings(.set(key.rawValue, value)).lines == ["\(key.rawValue) = \(value)"])
      #expect(try stored(key) == json)
      #expect(try fixture.settings(.get(key.rawValue)).lines == [value])
    }
  }

  @Test func theLanguageGoesBackToThatOfTheSystem() throws {
    try fixture.settings(.set("language", "vi"))
    #expect(try fixture.settings(.set("language", "system")).lines == ["language = system"])
    #expect(try stored(.language) == nil)
  }

  @Test func aKhatmPlanBeginsToday() throws {
    try fixture.progress(.set, "2:45")
    #expect(try fixture.settings(.set("khatm", "30")).lines == ["khatm = 30"])
    #expect(
      try fixture.snapshot().khatmPlan
        == KhatmPlan(start: Day(containing: fixture.now), days: 30, readCount: 45))
    #expect(try fixture.settings(.get("khatm")).lines == ["30"])
    #expect(try fixture.settings(.set("khatm", "off")).lines == ["khatm = off"])
    #expect(try stored(.khatm) == nil)
  }

  @Test func unknownKeysAndValuesAreRefusedWithTheChoices() throws {
    let failure = try failure { try fixture.settings(.set("colour", "x")) }
    #expect(failure.status == .usage)
    #expect(
      failure.message.contains(
        "theme, layout, width, blankRows, marks, language, arabicNames, khatm"))
    for (key, value, choices) in [
      ("theme", "pink", "terminal|light|dark|sepia|oasis|contrast"), ("layout", "", "verse|flow"),
      ("language", "fr", "system|vi|en"), ("arabicNames", "yes", "true|false"),
      ("width", "39", "40–200"), ("width", "201", "40–200"), ("width", "wide", "40–200"),
      ("marks", "hizb", "off|juz|page"), ("blankRows", "on", "true|false"),
      ("khatm", "0", "1–3650 days|off"), ("khatm", "3651", "1–3650 days|off"),
      ("khatm", "-5", "off"), ("khatm", "soon", "off"), ("khatm", "99999999999999999999", "off"),
    ] {
      let failure = try CommandsTests.failure { try fixture.settings(.set(key, value)) }
      #expect(failure.status == .usage)
      #expect(failure.message.contains(choices) && failure.message.contains(key))
    }
    #expect(try fixture.snapshot().settings.isEmpty)
  }

  @Test func anUnsetSettingHasTheDefaultValueAndARemark() throws {
    for (key, value) in [("theme", "terminal"), ("language", "system"), ("khatm", "off")] {
      #expect(try fixture.settings(.get(key)).lines == [value])
      #expect(fixture.warnings.last == fixture.messages.settingIsDefault(key))
    }
    #expect(try failure { try fixture.settings(.get("x")) }.status == .usage)
    #expect(try fixture.isEmpty)
  }

  @Test func jsonOutputHasTheValueThatAppliesAndWhetherItIsTheDefault() throws {
    struct Entry: Decodable, Equatable {
      let key: String
      let value: JSONValue
      let isDefault: Bool
    }
    func entries(_ action: CommandFixture.SettingsAction) throws -> [Entry] {
      try fixture.settings(action, asJSON: true).decoded([Entry].self)
    }
    let defaults: [Entry] = [
      Entry(key: "theme", value: .string("terminal"), isDefault: true),
      Entry(key: "layout", value: .string("verse"), isDefault: true),
      Entry(key: "width", value: .integer(72), isDefault: true),
      Entry(key: "blankRows", value: .bool(false), isDefault: true),
      Entry(key: "marks", value: .string("juz"), isDefault: true),
      Entry(key: "language", value: .string("system"), isDefault: true),
      Entry(key: "arabicNames", value: .bool(true), isDefault: true),
      Entry(key: "khatm", value: .null, isDefault: true),
    ]
    #expect(try entries(.list) == defaults)
    for entry in defaults { #expect(try entries(.get(entry.key)) == [entry]) }
    // Chosen, although it is the value of the default.
    let chosen = Entry(key: "width", value: .integer(72), isDefault: false)
    #expect(try entries(.set("width", "72")) == [chosen])
    #expect(try entries(.get("width")) == [chosen])
    #expect(try entries(.set("khatm", "off")) == [defaults[7]])
  }

  @Test func theListNamesEverySettingAndItsChoices() throws {
    try fixture.commit(.set("later", "[1, \"\u{9B}31m\"]"), .set("theme", "\"dark\""))
    let lines = try fixture.settings(.list).lines
    #expect(lines.count == SettingKey.allCases.count + 1)
    #expect(lines[0] == "theme        dark      terminal|light|dark|sepia|oasis|contrast")
    #expect(lines[1] == "layout       (verse)   verse|flow")
    #expect(lines[5] == "language     (system)  system|vi|en")
    #expect(lines.last == "later        [1, \"31m\"]")
  }

  @Test func jsonOutputKeepsTheTypesOfValues() throws {
    try fixture.commit(.set("x", "{\"a\":[1,null,true,\"b\",2.5]}"), .set("theme", "\"dark\""))
    try fixture.settings(.set("arabicNames", "true"))
    let text = try fixture.settings(.list, asJSON: true).text
    let found = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    let values = Dictionary(
      uniqueKeysWithValues: found.compactMap { entry in
        (entry["key"] as? String).map { ($0, entry["value"]) }
      })
    #expect(values["theme"] as? String == "dark")
    #expect(values["arabicNames"] as? Bool == true)
    #expect(Set(found.compactMap { $0["key"] as? String }).count == SettingKey.allCases.count + 1)
    let object = values["x"] as? [String: [Any]]
    #expect(object?["a"]?.count == 5 && object?["a"]?[0] as? Int == 1)
    #expect(
      try fixture.settings(.get("theme"), asJSON: true).text.contains("\"value\" : \"dark\""))
  }

  @Test func everyKeyCanBeSet() throws {
    for key in SettingKey.allCases {
      let value =
        switch key {
        case .theme: "terminal"
        case .layout: "verse"
        case .language: "en"
        case .width: "100"
        case .marks: "page"
        case .arabicNames, .blankRows: "true"
        case .khatm: "3650"
        }
      try fixture.settings(.set(key.rawValue, value))
      #expect(try stored(key) != nil)
    }
  }
}

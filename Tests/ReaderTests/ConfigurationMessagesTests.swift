import Glibc
import Messages
import Testing
import Text

@testable import Reader

/// The sentences about faults of the configuration file.
@Suite struct ConfigurationMessagesTests {
  private func sentences(_ messages: Messages, _ name: String) -> [String] {
    [
      messages.configurationSyntax(line: 3, reason: "parsing value: \(name)"),
      messages.configurationUnreadable(code: 13), messages.configurationUnreadable(code: 5),
      messages.configurationNotUTF8, messages.configurationTooLarge,
      messages.configurationUnknownKey(name),
      messages.configurationBadValue(name, expected: ["\"on\"", "\"off\"", "true", "false"]),
      messages.configurationUnknownAction(name),
      messages.configurationUnknownKeyName("Ctrl-Foo", action: name),
      messages.configurationKeyTaken("Ctrl-d", by: "halfDown", insteadOf: name),
      messages.configurationFixedAction("interrupt", keys: "Ctrl-c"),
    ]
  }

  @Test func everyMessageNamesTheFileAndTheProblem() {
    for language in [Language.vietnamese, .english] {
      let messages = Messages(language)
      for sentence in sentences(messages, "colour") {
        #expect(sentence.contains("config.toml"))
        #expect(sentence.hasSuffix("."))
      }
      #expect(messages.configurationSyntax(line: 3, reason: "x").contains("3: x."))
      #expect(messages.configurationUnreadable(code: EIO).contains(messages.systemError(EIO)))
      #expect(messages.configurationUnreadable(code: 75).contains("75"))
      #expect(messages.configurationUnknownKey("colour").contains("colour"))
      let value = messages.configurationBadValue("mouse", expected: ["\"on\"", "true"])
      #expect(value.contains("mouse") && value.contains("\"on\", true"))
      #expect(messages.configurationUnknownAction("favourit").contains("favourit"))
      let key = messages.configurationUnknownKeyName("Foo", action: "copy")
      #expect(key.contains("Foo") && key.contains("copy"))
      let taken = messages.configurationKeyTaken("Tab", by: "copy", insteadOf: "help")
      #expect(taken.contains("Tab") && taken.contains("copy") && taken.contains("help"))
      #expect(messages.configurationFixedAction("interrupt", keys: "Ctrl-c").contains("Ctrl-c"))
    }
  }

  @Test func everyMessageFitsThreeRowsForNamesOfAnyLength() {
    let name = String(repeating: "x", count: 100_000)
    for language in [Language.vietnamese, .english] {
      for sentence in sentences(Messages(language), name) { #expect(sentence.columns <= 3 * 70) }
      for sentence in sentences(Messages(language), "colour") {
        #expect(sentence.columns <= 3 * 38)
      }
    }
  }

  @Test func commonSyntaxErrorsAreInVietnamese() {
    let messages = Messages(.vietnamese)
    for (reason, sentence) in [
      ("parsing value: could not determine value type", "không rõ giá trị"),
      ("parsing key-value pair: expected '=', saw '\\n'", "thiếu dấu ="),
      ("parsing key-value pair: expected value, saw '\\n'", "thiếu giá trị"),
      ("parsing key-value pair: cannot redefine existing string 'mouse'", "đã có"),
      ("parsing hash: something new", "something new"),
    ] {
      #expect(messages.configurationSyntax(line: 1, reason: reason).contains(sentence))
    }
    let sentence = messages.configurationSyntax(line: 1, messages.unexpectedCharacter("“"))
    #expect(sentence.contains("ký tự “ nằm sai chỗ"))
  }
}

import Messages
import Terminal
import Testing
import Text

@testable import Reader

@Suite struct RemappingTests {
  /// A small table that does not change when the standard table does.
  private let table = KeyTable([
    .init(
      \.groupMove,
      [
        (.down, ["j", Key(.down)], \.actDown), (.up, ["k", Key(.up)], \.actUp),
        (.halfDown, [.control("d")], \.actHalfDown), (.goTo, ["g"], \.actGoTo),
      ]),
    .init(
      \.groupProgram,
      [
        (.help, ["?", Key(.function(1))], \.actHelp), (.quit, ["q"], \.actQuit),
        (.interrupt, [.control("c")], \.actInterrupt),
      ]),
  ])

  private func bindings(_ table: KeyTable) -> [[String]] {
    table.groups.map { $0.bindings.map { "\($0.action) \($0.keys)" } }
  }

  private func names(_ table: KeyTable) -> [String] {
    let messages = Messages(.english)
    return table.groups.flatMap { [$0.name(messages)] + $0.bindings.map { $0.name(messages) } }
  }

  /// Expects keys after a remapping without problems.
  private func expect(
    _ keys: [String: [String]], gives expected: [Action: [Key]],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(keys, gives: expected, despite: [], sourceLocation: sourceLocation)
  }

  /// Expects these actions on these keys, and all other actions on their former keys.
  private func expect(
    _ keys: [String: [String]], gives expected: [Action: [Key]],
    despite problems: [KeyTable.RemappingProblem],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (found, foundProblems) = table.remapped(keys)
    #expect(foundProblems == problems, sourceLocation: sourceLocation)
    #expect(names(found) == names(table), sourceLocation: sourceLocation)
    for binding in table.groups.flatMap(\.bindings) {
      let keys = expected[binding.action] ?? binding.keys
      #expect(found.keys(for: binding.action) == keys, sourceLocation: sourceLocation)
      for key in keys {
        #expect(found.action(for: key) == binding.action, sourceLocation: sourceLocation)
      }
      for key in binding.keys where !expected.values.joined().contains(key) && !keys.contains(key) {
        #expect(found.action(for: key) == nil, sourceLocation: sourceLocation)
      }
    }
  }

  // MARK: Valid remappings

  @Test func emptyRemappingKeepsTheTable() {
    expect([:], gives: [:])
    #expect(bindings(KeyTable.standard.remapped([:]).0) == bindings(.standard))
  }

  @Test func anActionMovesToItsNewKeys() {
    expect(["down": ["J"]], gives: [.down: ["J"]])
    expect(
      ["down": ["F2", "Ctrl-n", "↓"]],
      gives: [.down: [Key(.function(2)), .control("n"), Key(.down)]])
    expect(
      ["down": ["x", "x", "X"], "up": ["Tab", "Ctrl-i"]],
      gives: [.down: ["x", "X"], .up: [Key(.tab)]])
  }

  @Test func actionNamesIgnoreCaseAndHyphens() {
    for name in ["halfDown", "half-down", "HALF-DOWN", "halfdown", "Half-Down"] {
      expect([name: ["J"]], gives: [.halfDown: ["J"]])
    }
    #expect(Action.halfDown.configurationName == "half-down")
    for action in Action.allCases where action != .interrupt {
      let kebab = action.configurationName
      for name in [action.rawValue, kebab, kebab.uppercased()] {
        let (found, problems) = KeyTable.standard.remapped([name: ["F12"]])
        #expect(problems.isEmpty)
        #expect(found.keys(for: action) == [Key(.function(12))])
      }
    }
  }

  @Test func aKeyIsTakenFromTheActionThatHadIt() {
    expect(["up": ["j"]], gives: [.up: ["j"], .down: [Key(.down)]])
    expect(["up": ["g"]], gives: [.up: ["g"], .goTo: []])
    expect(["up": ["j"], "down": ["k"]], gives: [.up: ["j"], .down: ["k"]])
  }

  @Test func anActionMayBeLeftWithoutAKey() {
    expect(["help": []], gives: [.help: []])
    expect(["quit": []], gives: [.quit: []])
    expect(["down": [], "up": ["j"]], gives: [.down: [], .up: ["j"]])
  }

  @Test func keysOfTwoSpellingsOfAnActionAreCombined() {
    expect(
      ["half-down": ["x", "y"], "halfDown": ["y", "z"]], gives: [.halfDown: ["x", "y", "z"]])
    expect(["half-down": [], "halfDown": ["z"]], gives: [.halfDown: ["z"]])
  }

  @Test func actionsThatShareAKeyInTheTableMayShareAny() {
    let table = KeyTable([
      .init(
        \.groupGo,
        [
          (.nextHit, ["n"], \.actNextHit), (.copy, ["n", "y"], \.actCopy),
          (.theme, ["t"], \.actTheme), (.layout, ["m"], \.actLayout),
        ])
    ])
    func expect(_ keys: [String: [String]], gives expected: [[String]]) {
      let (found, problems) = table.remapped(keys)
      #expect(problems.isEmpty)
      #expect(found.groups.map { $0.bindings.map { "\($0.keys)" } } == expected)
    }
    expect(["nextHit": ["n"], "copy": ["n", "y"]], gives: [["[n]", "[n, y]", "[t]", "[m]"]])
    expect(["next-hit": ["y"]], gives: [["[y]", "[n, y]", "[t]", "[m]"]])
    expect(["next-hit": ["t"], "copy": ["t"]], gives: [["[t]", "[t]", "[]", "[m]"]])
    expect(["theme": ["n"]], gives: [["[]", "[y]", "[n]", "[m]"]])
    let (found, problems) = table.remapped(["nextHit": ["x"], "copy": ["x"], "theme": ["x"]])
    #expect(problems == [.taken(key: "x", by: "copy", insteadOf: "theme")])
    #expect(
      found.groups.map { $0.bindings.map { "\($0.keys)" } } == [["[x]", "[x]", "[t]", "[m]"]])
  }

  // MARK: Invalid remappings

  @Test func unknownActionsAreReportedAndIgnored() {
    expect(
      ["favourit": ["f"], "up": ["x"], "half_down": ["y"], "": []], gives: [.up: ["x"]],
      despite: [.unknownAction(""), .unknownAction("favourit"), .unknownAction("half_down")])
    // The action exists, but has no binding in this table.
    expect(["theme": ["x"]], gives: [:], despite: [.unknownAction("theme")])
  }

  @Test func unknownKeysAreReportedAndTheOthersApply() {
    expect(
      ["up": ["Foo", "x", ""]], gives: [.up: ["x"]],
      despite: [.unknownKey(action: "up", key: "Foo"), .unknownKey(action: "up", key: "")])
  }

  @Test func anActionWithOnlyUnknownKeysKeepsItsKeys() {
    expect(["up": ["Foo"]], gives: [:], despite: [.unknownKey(action: "up", key: "Foo")])
    // The action loses a key that was given to another action.
    expect(
      ["up": ["Foo"], "down": ["k"]], gives: [.down: ["k"], .up: [Key(.up)]],
      despite: [.unknownKey(action: "up", key: "Foo")])
  }

  @Test func aKeyGivenTwiceBelongsToTheFirstActionByName() {
    expect(
      ["up": ["x"], "down": ["X", "x"]], gives: [.down: ["X", "x"]],
      despite: [.taken(key: "x", by: "down", insteadOf: "up")])
    expect(
      ["UP": ["Ctrl-i", "y"], "Go-To": ["Tab"]], gives: [.goTo: [Key(.tab)], .up: ["y"]],
      despite: [.taken(key: "Tab", by: "Go-To", insteadOf: "UP")])
  }

  @Test func theKeyOfInterruptCannotBeRemapped() {
    for keys in [[], ["x"], ["Ctrl-c", "x"], ["Foo"]] {
      let unknown = keys.filter { $0 == "Foo" }
      expect(
        ["interrupt": keys], gives: [:],
        despite: unknown.map { .unknownKey(action: "interrupt", key: $0) }
          + [.fixed(action: "interrupt")])
    }
    expect(["Interrupt": ["^c"]], gives: [:])
    expect(
      ["quit": ["C-c"], "up": ["x", "Ctrl-c"]], gives: [.up: ["x"]],
      despite: [
        .taken(key: "Ctrl-c", by: "interrupt", insteadOf: "quit"),
        .taken(key: "Ctrl-c", by: "interrupt", insteadOf: "up"),
      ])
  }

  @Test func everyActionButInterruptMayHaveNoKey() {
    let none = Dictionary(uniqueKeysWithValues: Action.allCases.map { ($0.rawValue, [String]()) })
    let (found, problems) = KeyTable.standard.remapped(none)
    #expect(problems == [.fixed(action: "interrupt")])
    for action in Action.allCases {
      #expect(found.keys(for: action).isEmpty == (action != .interrupt))
    }
    #expect(found.action(for: .control("c")) == .interrupt)
  }

  // MARK: The standard table

  @Test func standardTableRoundTripsThroughTheConfiguration() {
    var keys: [String: [String]] = [:]
    for binding in KeyTable.standard.groups.flatMap(\.bindings) {
      keys[binding.action.rawValue] = binding.keys.map(\.description)
      for key in binding.keys { #expect(Key.init(key.description) == key) }
    }
    let (found, problems) = KeyTable.standard.remapped(keys)
    #expect(problems.isEmpty)
    #expect(bindings(found) == bindings(.standard))
  }

  @Test func keysAreUniqueExceptForActionsThatShareOne() {
    let standard = KeyTable.standard
    let names = Action.allCases.map(\.rawValue)
    let keys = KeyTable.standard.groups.flatMap(\.bindings).flatMap(\.keys).map(\.description)
    for shift in 1..<keys.count {
      var mapping: [String: [String]] = [:]
      for (index, name) in names.enumerated() {
        mapping[name] = [
          keys[(index * 3 + shift) % keys.count], keys[(index + shift) % keys.count],
        ]
      }
      let found = standard.remapped(mapping).0
      for key in found.groups.flatMap(\.bindings).flatMap(\.keys) {
        let actions = found.groups.flatMap(\.bindings).filter { $0.keys.contains(key) }
          .map { Set(standard.keys(for: $0.action)) }
        #expect(actions.dropFirst().allSatisfy { !$0.isDisjoint(with: actions[0]) }, "\(key)")
      }
      #expect(found.action(for: .control("c")) == .interrupt)
    }
  }
}

import Terminal

extension KeyTable {
  /// Something in a wish for other keys that cannot be done.
  public enum RemappingProblem: Hashable, Sendable {
    /// There is no such action.
    case unknownAction(String)
    /// There is no such key: the action does without it.
    case unknownKey(action: String, key: String)
    /// Two actions are to have one key: `by` has it.
    case taken(key: String, by: String, insteadOf: String)
    /// The action stays where it is: the reader can always be left.
    case fixed(action: String)
  }

  /// This table with some actions on other keys, and what could not be done.
  ///
  ///     let (table, problems) = KeyTable.standard.remapped(["half-down": ["J", "Ctrl-d"]])
  ///
  /// A key that is given to an action is taken from the one that had it, which may be left
  /// without. Where two are to have it, the first by the alphabet has. Actions that share a
  /// key in this table may share any: which of them it does depends on the screen.
  ///
  /// An action of whose keys none can be had keeps those it has; `interrupt` keeps them always.
  ///
  /// - Parameter keys: names of keys, by the names of actions, `half-down` or `halfDown`, in
  ///   any case; none for an action that is to have none.
  public func remapped(_ keys: [String: [String]]) -> (KeyTable, [RemappingProblem]) {
    var problems: [RemappingProblem] = []
    let wishes = wishes(keys, &problems)
    var owners: [Key: [(action: Action, name: String)]] = [:]
    for key in self.keys(for: .interrupt) {
      owners[key] = [(.interrupt, Action.interrupt.rawValue)]
    }
    var granted: [Action: [Key]] = [:]
    for wish in wishes {
      var all = granted[wish.action] ?? []
      for key in wish.keys where !all.contains(key) {
        if let owner = owners[key]?.first(where: { !sharesKeys($0.action, wish.action) }) {
          problems.append(.taken(key: "\(key)", by: owner.name, insteadOf: wish.name))
        } else {
          owners[key, default: []].append((wish.action, wish.name))
          all.append(key)
        }
      }
      if !all.isEmpty || wish.isEmpty { granted[wish.action] = all }
    }
    let table = KeyTable(
      groups.map { group in
        Group(
          group.name,
          group.bindings.map { binding in
            let left = binding.keys.filter { key in
              (owners[key] ?? []).allSatisfy { sharesKeys($0.action, binding.action) }
            }
            return (binding.action, granted[binding.action] ?? left)
          })
      })
    return (table, problems)
  }

  private func sharesKeys(_ action: Action, _ other: Action) -> Bool {
    action == other || !Set(keys(for: action)).isDisjoint(with: keys(for: other))
  }

  /// An action's keys, as far as they could be understood.
  private struct Wish {
    let action: Action
    /// As it was written.
    let name: String
    let keys: [Key]
    /// Whether the action is to have no key.
    let isEmpty: Bool
  }

  private func wishes(
    _ keys: [String: [String]], _ problems: inout [RemappingProblem]
  ) -> [Wish] {
    let actions = Set(groups.flatMap(\.bindings).map(\.action))
    var wishes: [Wish] = []
    for (name, keyNames) in keys.sorted(by: { $0.key < $1.key }) {
      guard let action = Action(configurationName: name), actions.contains(action) else {
        problems.append(.unknownAction(name))
        continue
      }
      let known = keyNames.map { (name: $0, key: Key($0)) }
      for case (let keyName, nil) in known {
        problems.append(.unknownKey(action: name, key: keyName))
      }
      let wished = known.compactMap(\.key)
      guard action != .interrupt else {
        if Set(wished) != Set(self.keys(for: action)) { problems.append(.fixed(action: name)) }
        continue
      }
      wishes.append(Wish(action: action, name: name, keys: wished, isEmpty: keyNames.isEmpty))
    }
    return wishes.sorted { ($0.action.rawValue, $0.name) < ($1.action.rawValue, $1.name) }
  }
}

extension Action {
  /// The name of this action in `config.toml`, as the manual writes it: `half-down`.
  public var configurationName: String {
    rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  }

  /// - Parameter name: `half-down` or `halfDown`, in any case.
  fileprivate init?(configurationName name: String) {
    let name = name.lowercased()
    let action = Self.allCases.first {
      name == $0.configurationName || name == $0.rawValue.lowercased()
    }
    guard let action else { return nil }
    self = action
  }
}

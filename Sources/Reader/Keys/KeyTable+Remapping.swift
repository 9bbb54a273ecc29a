import Terminal

extension KeyTable {
  /// A part of a requested remapping that cannot be done.
  public enum RemappingProblem: Hashable, Sendable {
    /// There is no such action.
    case unknownAction(String)
    /// There is no such key; the action gets the other keys that were requested for it.
    case unknownKey(action: String, key: String)
    /// The key belongs to another action: `interrupt`, or one that was given the key before.
    case taken(key: String, by: String, insteadOf: String)
    /// The keys of the action cannot be changed, so that the user can always leave the reader.
    case fixed(action: String)
  }

  /// Returns a copy of this table in which actions have the requested keys, and the problems of the
  /// request.
  ///
  ///     let (table, problems) = KeyTable.standard.remapped(["half-down": ["J", "Ctrl-d"]])
  ///
  /// A key that is given to an action is removed from the action that had it, which may be left
  /// without a key. If two actions request a key, the one whose name sorts first gets it. Actions
  /// that share a key in this table may share any key, because they apply on different screens.
  ///
  /// An action that gets none of the keys it requests keeps those of its own keys that were not
  /// given to another action. `interrupt` always keeps its own.
  ///
  /// - Parameter keys: the names of the requested keys by the name of the action, which is
  ///   `half-down` or `halfDown` in upper or lower case; an empty list leaves the action without a
  ///   key.
  public func remapped(_ keys: [String: [String]]) -> (KeyTable, [RemappingProblem]) {
    guard !keys.isEmpty else { return (self, []) }
    var problems: [RemappingProblem] = []
    let requests = requests(keys, &problems)
    var owners: [Key: [(action: Action, name: String)]] = [:]
    for key in self.keys(for: .interrupt) {
      owners[key] = [(.interrupt, Action.interrupt.rawValue)]
    }
    var granted: [Action: [Key]] = [:]
    for request in requests {
      var all = granted[request.action] ?? []
      for key in request.keys where !all.contains(key) {
        if let owner = owners[key]?.first(where: { !sharesKeys($0.action, request.action) }) {
          problems.append(.taken(key: "\(key)", by: owner.name, insteadOf: request.name))
        } else {
          owners[key, default: []].append((request.action, request.name))
          all.append(key)
        }
      }
      if !all.isEmpty || request.isEmpty { granted[request.action] = all }
    }
    let table = KeyTable(
      groups.map { group in
        Group(
          group.name,
          group.bindings.map { binding in
            let left = binding.keys.filter { key in
              (owners[key] ?? []).allSatisfy { sharesKeys($0.action, binding.action) }
            }
            return (binding.action, granted[binding.action] ?? left, binding.name)
          })
      })
    return (table, problems)
  }

  private func sharesKeys(_ action: Action, _ other: Action) -> Bool {
    action == other || !Set(keys(for: action)).isDisjoint(with: keys(for: other))
  }

  /// The valid keys that were requested for an action.
  private struct RequestedKeys {
    let action: Action
    /// The name as it was written.
    let name: String
    let keys: [Key]
    /// Whether the request leaves the action without a key.
    let isEmpty: Bool
  }

  private func requests(
    _ keys: [String: [String]], _ problems: inout [RemappingProblem]
  ) -> [RequestedKeys] {
    let actions = Set(groups.flatMap(\.bindings).map(\.action))
    var requests: [RequestedKeys] = []
    for (name, keyNames) in keys.sorted(by: { $0.key < $1.key }) {
      guard let action = Action(configurationName: name), actions.contains(action) else {
        problems.append(.unknownAction(name))
        continue
      }
      let known = keyNames.map { (name: $0, key: Key($0)) }
      for case (let keyName, nil) in known {
        problems.append(.unknownKey(action: name, key: keyName))
      }
      let valid = known.compactMap(\.key)
      guard action != .interrupt else {
        if Set(valid) != Set(self.keys(for: action)) { problems.append(.fixed(action: name)) }
        continue
      }
      requests.append(
        RequestedKeys(action: action, name: name, keys: valid, isEmpty: keyNames.isEmpty))
    }
    return requests.sorted { ($0.action.rawValue, $0.name) < ($1.action.rawValue, $1.name) }
  }
}

extension Action {
  /// The name of this action in `config.toml` and in the manual, such as `half-down`.
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

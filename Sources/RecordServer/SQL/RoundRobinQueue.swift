import NIOCore

/// A queue in which accounts take turns, so that one with much work does not keep others waiting.
///
/// Elements of the same account come out in the order in which they were added.
struct RoundRobinQueue<Element> {
  private var elements: [Int64?: CircularBuffer<Element>] = [:]
  /// The accounts that have elements, in the order of their turns.
  private var turns = CircularBuffer<Int64?>()
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// - Parameter account: the account that the element belongs to; nil for work of the service
  ///   itself, which takes turns like an account.
  mutating func append(_ element: Element, for account: Int64?) {
    if elements[account] == nil { turns.append(account) }
    elements[account, default: CircularBuffer()].append(element)
    count += 1
  }

  /// Moves an account to the end of the order of turns. Does nothing if it has no elements.
  mutating func postpone(_ account: Int64?) {
    guard let turn = turns.firstIndex(of: account) else { return }
    turns.append(turns.remove(at: turn))
  }

  /// Removes and returns the oldest element of the next admitted account; nil if no admitted
  /// account has elements. An account that has more elements goes to the end of the order of turns.
  ///
  /// - Parameter isAdmitted: whether an account may have a turn now.
  mutating func popFirst(where isAdmitted: (Int64?) -> Bool = { _ in true }) -> Element? {
    guard let turn = turns.firstIndex(where: isAdmitted) else { return nil }
    let account = turns.remove(at: turn)
    let element = elements[account]?.popFirst()
    if elements[account]?.isEmpty == true {
      elements[account] = nil
    } else {
      turns.append(account)
    }
    count -= 1
    return element
  }
}

extension RoundRobinQueue: Sendable where Element: Sendable {}

public import Quran

/// An edition made ready to be searched as the reader types.
public struct SearchIndex: Sendable {
  /// Folds the whole text; some tens of milliseconds, so off the main thread.
  public init(_ edition: Edition) {
  }

  /// Every ayah that the query finds, best first.
  public func search(_ query: SearchQuery, in scope: ClosedRange<AyahID>? = nil) -> [AyahID] {
    []
  }
}

/// What a reader typed into the search, made ready to match.
public struct SearchQuery: Sendable, Hashable {
  public let text: String
  public init(_ text: String) { self.text = text }
  /// Whether there is no word to look for.
  public var isEmpty: Bool { true }
  /// The parts of a text that the query's words match, in order, not overlapping.
  public func matches(in text: String) -> [Range<String.Index>] { [] }
}

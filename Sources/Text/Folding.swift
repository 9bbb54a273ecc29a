extension String {
  public var folded: String { lowercased() }
}

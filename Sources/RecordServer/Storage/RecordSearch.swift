/// A query as storage carries it out: fields are numbers, values are keys.
public struct RecordSearch: Hashable, Sendable {
  var type: String
  /// All of them must hold.
  var conditions: [Condition] = []
  /// Then by record name, in the direction of the last.
  var order: [Order] = []
  /// Which rows are gone through.
  var path = Path.type
  /// Where the former page ended.
  var after: Position?
  /// Only records that this account created; nil for everybody's.
  var creator: Int64?
  /// Whether what is at that place comes once more.
  var includesPosition = false
  /// How many records are wanted.
  var limit: Int

  struct Order: Hashable, Sendable {
    var field: FieldID
    var ascending = true
  }

  enum Path: Hashable, Sendable {
    /// All records of the type, by name. There is no order then.
    case type
    /// Those that one of the conditions holds for, which has one test and is not negated.
    /// Without an order of its own the search is in the order of that field.
    case condition(Int)
    /// All records of the type in the order of the first field.
    case order
    /// Those of the type that `creator` created, by name where there is no order.
    case creator
  }

  /// What must be true of a field's values: that for each of the tests there is one that
  /// passes, or with `isNegated` that this is not so.
  struct Condition: Hashable, Sendable {
    var field: FieldID
    /// With more than one, each is of one key.
    var tests: [Test]
    var isNegated = false
    /// Whether a record has one key of the field: it is no list.
    var isSingleValued = false
  }

  public enum Test: Hashable, Sendable {
    /// A value has one of these keys, which are in order and all different.
    case keys([IndexKey])
    /// A value's key is in the range; not cut.
    case range(Range<IndexKey>)
  }

  /// The place of a record in the order.
  public struct Position: Hashable, Sendable {
    /// One for each field of the order; one of the path's where there is no order.
    var keys: [IndexKey]
    var name: String
  }

  /// Whether names go backwards.
  var isNameDescending: Bool { order.last?.ascending == false }
}

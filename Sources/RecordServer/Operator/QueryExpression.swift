public import CloudRecords
import FoundationEssentials

/// A condition of a query, written on the command line in the grammar of `cktool`:
///
///     surahNumber == 2
///     ayahID == "2:255"
///     tags LIST_CONTAINS_ANY ["hope", "patience"]
///     ___modTime > 2026-01-31
///
/// A value may be enclosed in single or double quotation marks; in double ones it is a JSON string.
/// A reference is written as the name of its record, and a timestamp as milliseconds since 1970 or
/// as a date or time in ISO 8601.
public struct FilterExpression: Hashable, Sendable {
  /// The name of a field or of a system field.
  public let fieldName: String
  /// The comparison operator, as a comparator of CloudKit Web Services.
  public let comparator: Filter.Comparator
  /// The value as written. `filter(for:)` converts strings, and lists of strings, to the type of
  /// the field.
  let value: JSONValue

  /// The operators and their comparators. An operator comes before any operator that is a prefix of
  /// it, because the first one that matches is used.
  private static let operators: [(text: String, comparator: Filter.Comparator)] = [
    ("==", .equals), ("!=", .notEquals), ("<=", .lessThanOrEquals), ("<", .lessThan),
    (">=", .greaterThanOrEquals), (">", .greaterThan),
    ("CONTAINS_ALL_TOKENS", .containsAllTokens), ("CONTAINS_ANY_TOKENS", .containsAnyTokens),
    ("LIST_CONTAINS_ANY", .listContainsAny), ("LIST_NOT_CONTAINS_ANY", .notListContainsAny),
  ]

  /// The names of the operators, for messages and help, without those for words: a query with one
  /// of these is refused with the reason.
  public static let operatorNames = operators.filter {
    ![.containsAllTokens, .containsAnyTokens].contains($0.comparator)
  }.map(\.text)

  /// Parses a condition.
  ///
  /// - Throws: a `QueryExpressionProblem` that says why the string is not a condition.
  public init(parsing text: String) throws(QueryExpressionProblem) {
    let text = text.trimmingSpaces
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard !name.isEmpty else { throw .noField(String(text)) }
    let rest = text.dropFirst(name.count).trimmingSpaces
    guard let (symbol, comparator) = Self.operators.first(where: { rest.hasPrefix($0.text) }) else {
      throw .noOperator(String(text))
    }
    let value = rest.dropFirst(symbol.count)
    let isList = [.listContainsAny, .notListContainsAny].contains(comparator)
    // An operator that is a word must be followed by a space, a bracket or the end of the string.
    let isWord = symbol.first?.isLetter == true
    guard !isWord || value.first.map({ $0.isWhitespace || $0 == "[" }) != false else {
      throw .noOperator(String(text))
    }
    fieldName = String(name)
    self.comparator = comparator
    self.value = try Self.value(value.trimmingSpaces, isList: isList)
  }

  /// Parses the value of a condition.
  private static func value(
    _ text: Substring, isList: Bool
  ) throws(QueryExpressionProblem) -> JSONValue {
    switch text.first {
    case nil: throw .noValue
    case "[" where isList: return try json(text)
    case _ where isList: return .array([try value(text, isList: false)])
    case "\"": return try json(text)
    case "'":
      guard text.count > 1, text.last == "'" else { throw .brokenValue(String(text)) }
      return .string(String(text.dropFirst().dropLast()))
    default: return .string(String(text))
    }
  }

  private static func json(_ text: Substring) throws(QueryExpressionProblem) -> JSONValue {
    do {
      return try Wire.decode(JSONValue.self, from: Data(text.utf8), as: .request)
    } catch {
      throw .brokenValue(String(text))
    }
  }

  /// Returns the filter for records of a type.
  ///
  /// - Parameter type: the record type; nil if it is not in the schema, which the query will
  ///   report.
  public func filter(for type: RecordType?) -> Filter {
    let field = QueryField(name: fieldName, of: type)
    let declared: FieldType? =
      switch field {
      case .system(let field): field.type
      case .named(let name): type?.fields[name]?.type
      }
    return Filter(field, comparator, Field(.raw(value.converted(to: declared), type: nil)))
  }
}

extension Query {
  /// Creates a query from conditions and sorts written on the command line.
  ///
  /// - Parameters:
  ///   - conditions: the conditions, in the grammar of `FilterExpression`.
  ///   - sorts: the sorts: `FIELD`, `FIELD:asc` or `FIELD:desc`.
  ///   - schema: the schema that determines the types of the values.
  /// - Throws: a `QueryExpressionProblem` if a condition or sort cannot be parsed.
  public init(
    _ recordType: String, conditions: [String], sorts: [String],
    schema: Schema
  ) throws(QueryExpressionProblem) {
    self.init(recordType)
    let type = schema[recordType]
    for text in conditions {
      self.filters.append(try FilterExpression(parsing: text).filter(for: type))
    }
    for text in sorts {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      let direction = parts.count > 1 ? parts[1] : "asc"
      guard parts.count <= 2, !parts[0].isEmpty, ["asc", "desc"].contains(direction) else {
        throw .badSort(text)
      }
      let field = QueryField(name: String(parts[0]), of: type)
      self.sorts.append(Sort(field, ascending: direction == "asc"))
    }
  }
}

/// The reason why a string is not a condition or a sort. The associated strings are what was typed.
public enum QueryExpressionProblem: Error, Hashable, Sendable {
  /// It does not begin with the name of a field.
  case noField(String)
  /// The name is not followed by an operator.
  case noOperator(String)
  /// There is no value after the operator.
  case noValue
  /// The value has an unclosed quotation mark or bracket, or is not valid JSON.
  case brokenValue(String)
  /// The string is not a sort.
  case badSort(String)
}

extension QueryField {
  /// Creates a field from its name: a field of the record type or, if the type has no such field,
  /// the system field with this `queryName` or raw value, such as `modifiedTimestamp` or
  /// `___modTime`. Any other name becomes an unknown field, which the query will report.
  fileprivate init(name: String, of type: RecordType?) {
    let isOwn = type?.fields[name] != nil
    let system = isOwn ? nil : SystemField(queryName: name)
    self = system.map(Self.system) ?? Self(fieldName: name)
  }
}

extension JSONValue {
  /// Converts a string of the command line, or a list of them, to the JSON of a field's type.
  fileprivate func converted(to type: FieldType?) -> JSONValue {
    switch (self, type?.primitive) {
    case (.array(let values), _): .array(values.map { $0.converted(to: type) })
    case (.string(let name), .kind(.reference)): .object(["recordName": .string(name)])
    case (.string(let text), .kind(.timestamp)): Self.milliseconds(text).map(Self.integer) ?? self
    default: self
    }
  }

  /// Parses a timestamp.
  ///
  /// - Parameter text: an ISO 8601 date, which stands for midnight UTC, or time with its offset; or
  ///   milliseconds since 1970.
  /// - Returns: milliseconds since 1970; nil if the string is none of these.
  private static func milliseconds(_ text: String) -> Int64? {
    let style = Date.ISO8601FormatStyle()
    let date = try? style.parse(text)
    guard let date = date ?? (try? style.year().month().day().parse(text)) else {
      return Int64(text)
    }
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

extension StringProtocol where SubSequence == Substring {
  fileprivate var trimmingSpaces: Substring {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
    return start[...last]
  }
}

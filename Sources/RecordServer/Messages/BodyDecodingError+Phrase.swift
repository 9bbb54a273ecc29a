import CloudRecords
import Text

extension BodyDecodingError {
  /// What is wrong with the body: `operations[3].record: is missing`.
  var phrase: String {
    switch self {
    case .json(let problem): problem.phrase
    case .shape(let path, let mismatch): "\(path.isEmpty ? "the body" : path): \(mismatch.phrase)"
    }
  }
}

extension BodyDecodingError.Mismatch {
  fileprivate var phrase: String {
    switch self {
    case .missing: "is missing"
    case .expected(let value): "expected \(value.phrase)"
    case .unreadable: "cannot be read"
    }
  }
}

extension BodyDecodingError.Expected {
  fileprivate var phrase: String {
    switch self {
    case .string: "a string"
    case .boolean: "true or false"
    case .number: "a number"
    case .wholeNumber: "a whole number"
    case .list: "a list"
    case .object: "an object"
    case .int64: "a whole number of 64 bits"
    case .representableNumbers:
      "numbers in the range of 64 bits, without a fraction where a whole number is due"
    case .otherValue: "another value"
    case .base64: "base64"
    case .milliseconds: "milliseconds since 1970"
    case .containerName: "the name of a container"
    case .systemField: "the name of a system field"
    case .comparator: "the name of a comparator"
    case .oneOf(let strings): "one of \(strings.joined(separator: ", "))"
    }
  }
}

extension JSONBounds.Problem {
  fileprivate var phrase: String {
    switch self {
    case .tooLong(let limit): "the body has more than \(limit) bytes"
    case .tooManyValues(let limit, let offset): "more than \(limit) values at byte \(offset)"
    case .tooDeep(let limit, let offset): "nested deeper than \(limit) at byte \(offset)"
    case .numberTooLong(let limit, let offset):
      "a number of more than \(limit) bytes at byte \(offset)"
    case .notUTF8(let offset): "not UTF-8 at byte \(offset)"
    case .syntax(let expected, let offset):
      "not JSON: expected \(expected.phrase) at byte \(offset)"
    }
  }
}

extension JSONBounds.Expected {
  /// The phrase that completes "expected …".
  fileprivate var phrase: String {
    switch self {
    case .value: "a value"
    case .key: "a key in quotation marks"
    case .colon: "a colon"
    case .commaOrBrace: "a comma or a closing brace"
    case .commaOrBracket: "a comma or a closing bracket"
    case .digit: "a digit"
    case .character, .escape: "an escape sequence"
    case .surrogate: "the second half of a surrogate pair"
    case .endOfString: "a closing quotation mark"
    case .end: "the end"
    }
  }
}

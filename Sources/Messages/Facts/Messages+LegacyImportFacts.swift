public import LegacyImport
import Library
import Text

extension Messages {
  /// Explains why a dump of the iOS app, or one of its keys, cannot be imported.
  ///
  /// - Parameters:
  ///   - failure: The reason.
  ///   - name: The name of the file as the user gave it.
  public func explain(_ failure: LegacyFailure, in name: String) -> String {
    explain(failure, of: quoted(name.sanitizedLine))
  }

  /// - Parameter subject: The name of what cannot be imported, in quotation marks.
  private func explain(_ failure: LegacyFailure, of subject: String) -> String {
    switch failure {
    case .shortened(let key): dumpIsShortened(subject, key.rawValue)
    case .noLegacyKeys(let found):
      dumpHasNoKeys(subject, LegacyKey.allCases.map(\.rawValue), Self.list(found))
    case .notRecognised: dumpNotRecognised(subject)
    case .damaged(let container, let offset):
      dumpIsDamaged(subject, self.name(of: container), offset: offset)
    case .unknownEncoding(let encoding): dumpHasEncoding(subject, encoding.sanitizedLine)
    case .tooLarge(let limit): dumpIsTooLarge(subject, megabytes: limit >> 20)
    case .tooLargeUnpacked(let limit): dumpIsTooLargeUnpacked(subject, megabytes: limit >> 20)
    case .tooDeep: dumpIsTooDeep(subject)
    case .tooManyValues(let limit): dumpHasTooMuch(subject, limit)
    case .hasEntities: dumpHasEntities(subject)
    case .cyclic: dumpIsCyclic(subject)
    case .nothingUnderstood(let problems):
      dumpNotUnderstood(
        subject,
        problems.prefix(LegacyKey.allCases.count).map {
          "\($0.key.rawValue) – \(explain($0.reason))"
        })
    case .cancelled: dumpCancelled(subject)
    }
  }

  /// Explains why an entry of a dump was skipped.
  public func explain(_ reason: LegacyProblem.Reason) -> String {
    switch reason {
    case .noSuchAyah(let text): reasonNoSuchAyah(text.sanitizedLine)
    case .malformedAyah(let text): reasonMalformedAyah(text.sanitizedLine)
    case .noSuchSurah(let text): reasonNoSuchSurah(text.sanitizedLine)
    case .malformedSurah(let text): reasonMalformedSurah(text.sanitizedLine)
    case .wrongType(let kind): reasonIsNot(self.name(of: kind))
    case .note(let problem): clause(explain(problem))
    case .tooManyMarks(let limit): reasonTooManyMarks(limit)
    case .missingField(let field): reasonMissing(field.sanitizedLine)
    case .notANumber(let text): reasonNotANumber(text.sanitizedLine)
    case .missingValue: reasonMissingValue
    case .invalidUnicode: reasonNotText
    case .unreadable(let failure): clause(explain(failure, of: keyContent))
    }
  }

  /// Removes the full stop of a sentence, for use in a list or after a place.
  private func clause(_ sentence: String) -> String {
    sentence.utf8.last == UInt8(ascii: ".") ? String(sentence.dropLast()) : sentence
  }

  /// Returns the name of a file format.
  public func name(of container: LegacyDump.Container) -> String {
    switch container {
    case .gzip: "gzip"
    case .utf16: "UTF-16"
    case .binaryPropertyList: binaryPropertyList
    case .xmlPropertyList: propertyList("XML")
    case .openStepPropertyList: propertyList("OpenStep")
    case .json: "JSON"
    case .keyedArchive: "NSKeyedArchiver"
    }
  }

  /// Returns the name of the encoding of a key.
  public func name(of shape: LegacyDump.Shape) -> String {
    shape.steps.isEmpty
      ? shapeNative : shape.steps.map { name(of: $0) }.joined(separator: " › ")
  }

  private func name(of step: LegacyDump.Step) -> String {
    switch step {
    case .data: "Data"
    case .string: shapeString
    case .base64: "Base64"
    case .gzip: "gzip"
    case .utf16: "UTF-16"
    case .json: "JSON"
    case .xmlPropertyList: propertyList("XML")
    case .binaryPropertyList: binaryPropertyList
    case .openStepPropertyList: propertyList("OpenStep")
    case .keyedArchive: "NSKeyedArchiver"
    case .flatArray: shapeFlatArray
    }
  }

  private func name(of kind: LegacyProblem.Kind) -> String {
    switch kind {
    case .text: kindText
    case .number: kindNumber
    case .data: kindData
    case .list: kindList
    case .dictionary: kindDictionary
    case .date: kindDate
    case .nothing: kindNothing
    case .boolean: kindTruth
    case .reference: kindReference
    }
  }

  /// The first keys, separated by commas, or nil if there are none.
  private static func list(_ keys: [String]) -> String? {
    guard !keys.isEmpty else { return nil }
    let shown = keys.prefix(5).map(\.sanitizedLine).joined(separator: ", ")
    return keys.count > 5 ? shown + ", …" : shown
  }
}

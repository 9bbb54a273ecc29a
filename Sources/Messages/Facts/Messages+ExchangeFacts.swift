public import Library
import Text

extension Messages {
  /// Explains why a document cannot be imported.
  ///
  /// - Parameters:
  ///   - failure: The reason.
  ///   - name: The name of the file as the user gave it.
  public func explain(_ failure: ExportDocument.Failure, in name: String) -> String {
    let name = name.sanitizedLine
    return switch failure {
    case .syntax(let offset, let line, let expected):
      fileIsBroken(name, line: line, offset: offset, self.name(of: expected))
    case .tooDeep(_, let line): fileIsTooDeep(name, line: line)
    case .notAnExport: fileIsNoExport(name)
    case .newer(let version): fileIsNewer(name, version)
    }
  }

  private func name(of expected: ExportDocument.Expected) -> String {
    switch expected {
    case .value: expectedValue
    case .key: expectedKey
    case .colon: "“:”"
    case .commaOrBrace: "“,” / “}”"
    case .commaOrBracket: "“,” / “]”"
    case .character: expectedStringCharacter
    case .escape, .surrogate: expectedEscape
    case .endOfString: expectedEndOfString
    case .digit: expectedDigit
    case .end: expectedEnd
    }
  }

  /// Explains why an entry of an import was skipped.
  public func explain(_ reason: ImportReport.Reason) -> String {
    switch reason {
    case .notAList: reasonNotAList
    case .wrongType(let field): reasonWrongType(field?.sanitizedLine)
    case .missing(let field): reasonMissing(field.sanitizedLine)
    case .unfit(let field): reasonUnfit(field.sanitizedLine)
    case .noSuchAyah(let text): reasonNoSuchAyah(text.sanitizedLine)
    case .noSuchSurah(let number): reasonNoSuchSurah(number)
    case .badID(let text): reasonBadID(text.sanitizedLine)
    case .note(let problem): explain(problem)
    case .tooLarge: reasonTooLarge
    case .notText: reasonNotText
    }
  }

  /// Returns the name of a list of an export.
  public func name(of table: ExportDocument.Table) -> String {
    switch table {
    case .favorites: listFavorites
    case .notes: listNotes
    case .progress: listProgress
    case .settings: listSettings
    case .readingDays: listReadingDays
    case .drafts: listDrafts
    case .cues: listCues
    }
  }
}

extension Schema {
  /// The draft with the type of every field known: what may be stored.
  ///
  /// References need an action here. Cleared fields stay `.null`; a field that is encrypted in
  /// the schema comes back marked so.
  ///
  /// - Throws: a BAD_REQUEST, in CloudKit's words for production: there a type or field that
  ///   is missing stays so. In development the schema is to be grown before.
  public func check(_ draft: RecordDraft) throws(ServiceError) -> RecordDraft {
    guard let name = draft.recordType else {
      throw ServiceError(.badRequest, reason: Reason.missingRecordType)
    }
    guard let type = recordTypes[name] else {
      throw ServiceError(.badRequest, reason: Reason.unknownTypeInProduction(name))
    }
    var checked = draft
    for field in draft.fields.keys.sortedByBytes {
      guard let content = draft.fields[field] else { continue }
      guard let definition = type.fields[field] else {
        throw ServiceError(
          .badRequest, reason: Reason.unknownFieldInProduction(field, type: name))
      }
      checked.fields[field] = try content.checked(definition.type, field: field, type: name)
    }
    return checked
  }

  /// The schema with what a record needs: types and fields appear in development when a
  /// record that has them is saved.
  ///
  /// New fields get the indexes CloudKit gives them (`FieldType.automaticIndexes`), new types
  /// the customary grants and no index on record names. A cleared field brings nothing with it.
  ///
  /// - Throws: a BAD_REQUEST where a name cannot be one, or a value does not tell its type.
  ///   Whether the values fit is for `check`.
  public func growing(toFit draft: RecordDraft) throws(ServiceError) -> Schema {
    guard let name = draft.recordType else {
      throw ServiceError(.badRequest, reason: Reason.missingRecordType)
    }
    guard recordTypes[name] != nil || Identifier.isPlain(name) else {
      throw ServiceError(.badRequest, reason: Reason.unusableName(name))
    }
    var type = recordTypes[name] ?? RecordType(name, grants: .customary)
    for field in draft.fields.keys.sortedByBytes where type.fields[field] == nil {
      guard let content = draft.fields[field], content.content != .null else { continue }
      guard Identifier.isPlain(field), !Identifier.reservedFields.contains(field) else {
        throw ServiceError(.badRequest, reason: Reason.unusableName(field))
      }
      guard let fieldType = content.likelyType else {
        throw ServiceError(
          .badRequest, reason: Reason.unknownElements(field: field, type: name))
      }
      type.fields[field] = FieldDefinition(fieldType, fieldType.automaticIndexes)
    }
    var grown = self
    grown[name] = type
    let fields = grown.recordTypes.values.reduce(0) { $0 + $1.fields.count }
    guard grown.recordTypes.count <= Limits.grownTypes, fields <= Limits.grownFields else {
      throw ServiceError(.limitExceeded, reason: Reason.schemaFull)
    }
    return grown
  }
}

extension Field {
  /// The field with a value of the type its record type declares.
  ///
  /// - Parameters:
  ///   - field: its name, and `type` the record type's: error texts have them.
  public func checked(
    _ definition: FieldType, field: String, type: String
  ) throws(ServiceError) -> Field {
    let value: FieldValue?
    do {
      value = try self.value(as: definition)
    } catch {
      throw ServiceError(
        .badRequest,
        reason: error.isEncryption
          ? Reason.encryptedInPlainField
          : Reason.wrongType(error.found, field: field, type: type, defined: error.defined))
    }
    guard let value else { return .null }
    guard value.references.allSatisfy({ $0.action != nil }) else {
      throw ServiceError(.badRequest, reason: Reason.missingAction(field: field))
    }
    return Field(value, isEncrypted: definition.isEncrypted)
  }
}

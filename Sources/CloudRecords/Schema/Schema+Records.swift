extension Schema {
  /// Checks a record that is to be saved against the schema.
  ///
  /// Every reference must have an action.
  ///
  /// - Returns: The record with typed values. Null fields remain null, and the fields that the
  ///   schema declares as encrypted are marked as such.
  /// - Throws: A BAD_REQUEST error. If a record type or field does not exist, the reason is that of
  ///   CloudKit's production environment; in the development environment, first extend the schema
  ///   with `adding(typesAndFieldsOf:)`.
  public func check(_ record: RecordInput) throws(ServiceError) -> RecordInput {
    guard let name = record.recordType else {
      throw ServiceError(.badRequest, cause: .missingRecordType)
    }
    guard let type = recordTypes[name] else {
      throw ServiceError(.badRequest, cause: .unknownTypeInProduction(name))
    }
    var checked = record
    for field in record.fields.keys.sortedByBytes {
      guard let content = record.fields[field] else { continue }
      guard let definition = type.fields[field] else {
        throw ServiceError(
          .badRequest, cause: .unknownFieldInProduction(field, type: name))
      }
      checked.fields[field] = try content.checked(definition.type, field: field, type: name)
    }
    return checked
  }

  /// Returns the schema with the record type and fields that a record needs, as they are created in
  /// the development environment when the record is saved.
  ///
  /// New fields have the indexes `FieldType.automaticIndexes`. A new record type has the grants
  /// `Grants.default` and no index on record names. Null fields are not added.
  ///
  /// - Throws: A BAD_REQUEST error if a name is not valid or the type of a value cannot be
  ///   inferred; a LIMIT_EXCEEDED error if the schema would become too large. The values of
  ///   existing fields are not checked; see `check(_:)`.
  public func adding(typesAndFieldsOf record: RecordInput) throws(ServiceError) -> Schema {
    guard let name = record.recordType else {
      throw ServiceError(.badRequest, cause: .missingRecordType)
    }
    guard recordTypes[name] != nil || Identifier.isPlain(name) else {
      throw ServiceError(.badRequest, cause: .unusableName(name))
    }
    var type = recordTypes[name] ?? RecordType(name, grants: .default)
    for field in record.fields.keys.sortedByBytes where type.fields[field] == nil {
      guard let content = record.fields[field], content.content != .null else { continue }
      guard Identifier.isPlain(field) else {
        throw ServiceError(.badRequest, cause: .unusableName(field))
      }
      guard !Identifier.reservedFields.contains(field) else {
        throw ServiceError(.badRequest, cause: .reservedFieldName(field))
      }
      guard let fieldType = content.inferredType else {
        throw ServiceError(
          .badRequest, cause: .unknownElements(field: field, type: name))
      }
      type.fields[field] = FieldDefinition(fieldType, fieldType.automaticIndexes)
    }
    var schema = self
    schema[name] = type
    let fields = schema.recordTypes.values.reduce(0) { $0 + $1.fields.count }
    guard schema.recordTypes.count <= Limits.inferredTypes, fields <= Limits.inferredFields else {
      throw ServiceError(.limitExceeded, cause: .schemaFull)
    }
    return schema
  }
}

extension Schema {
  /// Checks the names of the record types, because a name in quotation marks can have any
  /// characters.
  ///
  /// - Parameter known: A schema whose record types are allowed, whatever their names.
  /// - Throws: A BAD_REQUEST error about the first name, in alphabetical order, that CloudKit does
  ///   not allow.
  public func checkTypeNames(except known: Schema = Schema()) throws(ServiceError) {
    for name in recordTypes.keys.sortedByBytes
    where known[name] == nil && !Identifier.isTypeName(name) {
      throw ServiceError(.badRequest, cause: .unusableName(name))
    }
  }
}

extension Field {
  /// Returns the field with a value of the declared type.
  ///
  /// - Parameters:
  ///   - definition: The declared type of the field.
  ///   - field: The name of the field, for error messages.
  ///   - type: The name of the record type, for error messages.
  /// - Throws: A BAD_REQUEST error if the value does not have the declared type or a reference has
  ///   no action.
  public func checked(
    _ definition: FieldType, field: String, type: String
  ) throws(ServiceError) -> Field {
    let value: FieldValue?
    do {
      value = try self.value(as: definition)
    } catch {
      throw ServiceError(
        .badRequest,
        cause: error.isUnexpectedlyEncrypted
          ? .encryptedInPlainField
          : .wrongType(error.found, field: field, type: type, declared: error.declared))
    }
    guard let value else { return .null }
    guard value.references.allSatisfy({ $0.action != nil }) else {
      throw ServiceError(.badRequest, cause: .missingAction(field: field))
    }
    return Field(value, isEncrypted: definition.isEncrypted)
  }
}

extension DataModel {
  /// Finds everything in the entities used with CloudKit that mirroring does not support.
  ///
  /// A property that is inherited is reported once, where it is declared. Findings are sorted by
  /// rule, then, as in Core Data's messages, by the names of entity and property.
  public func cloudKitFindings() -> [CloudKitFinding] {
    let parts = cloudKitUse.parts
    let mirrored = withAncestors(parts.reduce(into: []) { $0.formUnion($1.entities) })
    var findings: [CloudKitFinding] = []
    let openEnds = openEnds
    for entity in entities where mirrored.contains(entity.name) {
      for attribute in entity.attributes { findings += check(attribute, of: entity) }
      for relationship in entity.relationships {
        findings += check(relationship, of: entity, openEnds)
      }
      findings += entity.uniquenessConstraints.map {
        CloudKitFinding(
          rule: .uniqueness, entity: entity.name, properties: $0.attributes, line: $0.line,
          fix: .removeConstraint)
      }
    }
    findings += parts.flatMap(relationshipsThatLeave)
    return findings.sorted()
  }

  private func check(_ attribute: Attribute, of entity: Entity) -> [CloudKitFinding] {
    var found: [(CloudKitRule, CloudKitFinding.Fix)] = []
    // Core Data also checks attributes that are transient or derived.
    if !attribute.isOptional && !attribute.hasDefault {
      found.append((.optionalAttribute, .makeOptionalOrAddDefault))
    }
    if attribute.type == .undefined || attribute.type == .objectID {
      found.append((.attributeType, .chooseType(attribute.type)))
    }
    return found.map { rule, fix in
      CloudKitFinding(
        rule: rule, entity: entity.name, properties: [attribute.name], line: attribute.line,
        fix: fix)
    }
  }

  private func check(
    _ relationship: Relationship, of entity: Entity, _ openEnds: [Ends: String]
  ) -> [CloudKitFinding] {
    var found: [(CloudKitRule, CloudKitFinding.Fix)] = []
    let destination = relationship.destination
    if relationship.inverse == nil {
      let candidate = openEnds[Ends(from: destination, to: entity.name)]
      if let candidate, destination != entity.name {
        found.append((.inverse, .chooseInverse(candidate, destination: destination)))
      } else {
        found.append((.inverse, .addInverse(destination: destination)))
      }
    }
    if relationship.isOrdered { found.append((.unordered, .removeOrder)) }
    if !relationship.isOptional { found.append((.optionalRelationship, .makeOptional)) }
    if relationship.deletionRule == .deny {
      found.append((.deletionRule, .chooseDeletionRule))
    }
    return found.map { rule, fix in
      CloudKitFinding(
        rule: rule, entity: entity.name, properties: [relationship.name],
        line: relationship.line, fix: fix)
    }
  }

  private struct Ends: Hashable {
    let from, to: String
  }

  /// For two entities, the relationship without an inverse from one to the other, if there is
  /// exactly one.
  private var openEnds: [Ends: String] {
    var names: [Ends: [String]] = [:]
    for entity in entities {
      for relationship in entity.relationships where relationship.inverse == nil {
        let ends = Ends(from: entity.name, to: relationship.destination)
        names[ends, default: []].append(relationship.name)
      }
    }
    return names.compactMapValues { $0.count == 1 ? $0[0] : nil }
  }

  /// Finds the relationships from entities of a part, declared or inherited, to entities that are
  /// not in it.
  private func relationshipsThatLeave(_ part: CloudKitUse.Part) -> [CloudKitFinding] {
    let declaring = withAncestors(part.entities)
    return entities.filter { declaring.contains($0.name) }.flatMap { entity in
      entity.relationships.filter { !part.entities.contains($0.destination) }.map {
        CloudKitFinding(
          rule: .destination, entity: entity.name, properties: [$0.name], line: $0.line,
          fix: .addDestination($0.destination, configuration: part.configuration))
      }
    }
  }
}

extension [CloudKitFinding] {
  /// The findings, sorted by rule, and then by names, without regard to case.
  fileprivate func sorted() -> [CloudKitFinding] {
    let order = Dictionary(
      uniqueKeysWithValues: CloudKitRule.allCases.enumerated().map { ($1, $0) })
    return map { finding in
      (
        (
          order[finding.rule] ?? 0, finding.entity.lowercased(),
          finding.properties.joined(separator: ", ").lowercased(), finding.line
        ), finding
      )
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

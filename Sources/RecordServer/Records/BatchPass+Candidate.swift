import CloudRecords

extension BatchPass {
  /// A record that is going to be saved. Its new sequence number is not known yet.
  struct Candidate {
    /// The index of the operation.
    let operation: Int
    var row: RecordRow
    var fields: [String: Field]
    /// The DELETE_SELF and VALIDATE references of the record.
    var references: [ConstrainedReference] = []
  }
}

extension BatchPass.Candidate {
  /// The record as queries, indexes and subscriptions see it.
  var values: RecordValues { RecordValues(row: row, fields: fields) }
}

extension [ConstrainedReference] {
  /// The names of the targets of the references with this action.
  func targets(of action: ConstrainedReference.Action) -> Set<String> {
    Set(filter { $0.action == action }.map(\.target))
  }
}

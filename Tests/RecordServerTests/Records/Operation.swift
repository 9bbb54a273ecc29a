import CloudRecords

/// Hides Foundation's type of the same name.
typealias Operation = RecordsModify.Operation

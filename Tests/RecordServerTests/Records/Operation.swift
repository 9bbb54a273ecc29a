import CloudRecords

/// Not Foundation's type of this name.
typealias Operation = RecordsModify.Operation

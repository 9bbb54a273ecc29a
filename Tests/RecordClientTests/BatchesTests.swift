import CloudRecords
import TestSupport
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

struct BatchesTests {
  private func operation(_ name: String, characters: Int) -> RecordsModify.Operation {
    let text = String(repeating: "a", count: characters)
    return .init(.create, RecordInput(name, type: "T", fields: ["t": Field(.string(text))]))
  }

  private func bytes(_ request: RecordsModify.Request) throws -> Int {
    try Wire.encode(request).count
  }

  @Test(arguments: 1..<UInt64(101))
  func batchesAreInOrderAndAsLargeAsAllowed(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let most = Int.random(in: 1...8, using: &generator)
    let limit = Int.random(in: 200...2000, using: &generator)
    let operations = (0..<Int.random(in: 0...40, using: &generator)).map { index in
      operation(
        "r\(index)", characters: .random(in: 0...limit, using: &generator) / (index % 5 + 1))
    }
    let whole = RecordsModify.Request(
      operations: operations, zoneID: Bool.random(using: &generator) ? ZoneID("Q") : nil,
      atomic: Bool.random(using: &generator) ? false : nil)
    let batches = whole.batches { $0.firstBatch(operations: most, bytes: limit) }
    #expect(batches.flatMap(\.operations) == operations)
    for batch in batches {
      #expect((1...most).contains(batch.operations.count))
      #expect(batch.zoneID == whole.zoneID && batch.atomic == whole.atomic)
      #expect(try batch.operations.count == 1 || bytes(batch) <= limit)
    }
    for (batch, following) in zip(batches, batches.dropFirst())
    where batch.operations.count < most {
      var larger = batch
      larger.operations.append(try #require(following.operations.first))
      #expect(try bytes(larger) > limit)
    }
  }

  @Test func thereAreAtMost200Operations() {
    #expect(modification(0).firstBatch().operations.isEmpty)
    #expect(modification(200).batches().map(\.operations.count) == [200])
    #expect(modification(401).batches().map(\.operations.count) == [200, 200, 1])
  }

  @Test func aLargeRecordIsSentAlone() {
    let operations = [
      operation("a", characters: 10), operation("large", characters: Limits.batchBytes),
      operation("b", characters: 10), operation("c", characters: 10),
    ]
    let names = RecordsModify.Request(operations: operations).batches().map {
      $0.operations.compactMap(\.record.recordName)
    }
    #expect(names == [["a"], ["large"], ["b", "c"]])
  }

  @Test func aRecordThatCannotBeEncodedIsSentAlone() {
    let broken = RecordsModify.Operation(
      .create, RecordInput("nan", type: "T", fields: ["d": Field(.double(.nan))]))
    let operations = [operation("a", characters: 1), broken, operation("b", characters: 1)]
    let batches = RecordsModify.Request(operations: operations).batches()
    #expect(batches.map(\.operations.count) == [1, 1, 1])
  }
}

import CloudRecords
import Foundation
import Testing

struct SizeTests {
  @Test(arguments: [
    (FieldValue.string(""), 0), (.string("abc"), 3), (.string("é😀"), 6), (.int64(.max), 8),
    (.double(0), 8), (.timestamp(Timestamp(milliseconds: 0)), 8), (.bytes(Data(count: 100)), 100),
    (.location(Location(latitude: 0, longitude: 0)), 16),
    (
      .location(
        Location(
          latitude: 0, longitude: 0, horizontalAccuracy: 1, verticalAccuracy: 1, altitude: 1,
          speed: 1, course: 1, timestamp: Timestamp(milliseconds: 0))), 64
    ),
    (.reference(Reference("abc")), 4),
    (.reference(Reference("abc", zoneID: ZoneID("Q", ownerRecordName: "_u"))), 7),
    (.reference(Reference("abc", zoneID: ZoneID("Q", zoneType: .default))), 17),
    (
      .asset(
        Asset(
          fileChecksum: "ab", size: 1_000_000_000, referenceChecksum: "c", wrappingKey: "d",
          receipt: "e", downloadURL: "https://example.org/")), 13
    ),
    (.strings([]), 0), (.strings(["", "ab"]), 4), (.int64s([1, 2]), 18), (.doubles([1]), 9),
    (.timestamps([Timestamp(milliseconds: 0)]), 9), (.bytesList([Data(count: 5)]), 6),
    (.locations([Location(latitude: 0, longitude: 0)]), 17), (.references([Reference("a")]), 3),
    (.assets([Asset(fileChecksum: "", size: 0)]), 9),
  ])
  func sizesOfValues(_ value: FieldValue, bytes: Int) {
    #expect(RecordSize.bytes(of: value) == bytes)
  }

  @Test func aRecordSizeIncludesNamesAndFields() {
    let fields = ["text": Field(.string("hello")), "gone": .null]
    #expect(RecordSize.bytes(of: fields) == 9)
    #expect(RecordSize.bytes(of: Record("r12", type: "Note", fields: fields)) == 16)
    #expect(RecordSize.bytes(of: RecordInput("r12", type: "Note", fields: fields)) == 16)
    #expect(RecordSize.bytes(of: RecordInput(fields: fields)) == 9)
  }

  @Test func untypedValuesCountAsTheirInferredType() {
    func bytes(_ json: JSONValue) -> Int {
      RecordSize.bytes(of: ["f": Field(.raw(json, type: nil))])
    }
    #expect(bytes(.string("abc")) == 4)
    #expect(bytes(.integer(1)) == 9)
    #expect(bytes(.array([.string("a"), .string("b")])) == 5)
    #expect(bytes(.object(["recordName": .string("abc")])) == 14)
  }

  @Test func typeAndEncryptionDoNotAddToTheSize() {
    for seed in seeds(100) {
      var arbitrary = Arbitrary(seed: seed)
      let value = arbitrary.value(arbitrary.one(of: Arbitrary.types))
      let size = RecordSize.bytes(of: ["f": Field(value)])
      #expect(size == 1 + RecordSize.bytes(of: value), "seed \(seed)")
      #expect(RecordSize.bytes(of: ["f": Field(value, isEncrypted: true)]) == size, "seed \(seed)")
    }
  }
}

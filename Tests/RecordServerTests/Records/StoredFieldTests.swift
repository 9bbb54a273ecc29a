import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Answers whose fields are written as they are stored contain the same values as answers whose
/// fields are decoded.
struct StoredFieldTests {
  /// Fields of all types except assets, with values that an encoder easily changes.
  private static func fields(_ number: Int) -> [String: Field] {
    var fields: [String: FieldValue] = [
      "text": .string("\u{0}\"\\/\n\u{7F}\u{2028}ệ e\u{301} بِسْمِ 😀\u{10FFFF} \(number)"),
      "rank": .int64([.max, .min, 1 << 53 + 1, 0, -1][number % 5]),
      "weight": .double([5, -0.0, 1e22, .leastNonzeroMagnitude, 0.1][number % 5]),
      "at": .timestamp(Timestamp(milliseconds: 1_700_000_000_123 - Int64(number))),
      "data": .bytes(Data((0...255).map { UInt8($0) })),
      "tags": .strings(number % 2 == 0 ? [] : ["", "\u{0}", "ASSETID\""]),
      "scores": .int64s([.max, .min]),
      "parentNote": .reference(Reference("nowhere", action: .noAction)),
      "links": .references([Reference("a", action: .noAction), Reference("b", action: .noAction)]),
      "place": .location(Location(latitude: 21.03, longitude: 105.85)),
      "plain": .string(""),
    ]
    if number % 4 == 3 { fields = fields.filter { $0.key == "text" } }
    var all = fields.mapValues { Field($0) }
    if number % 3 == 1 {
      all["secret"] = Field(.string("hidden \(number)"), isEncrypted: true)
    }
    return all
  }

  /// The body as a client reads it.
  private func read<Body: Codable>(_ body: Body) throws -> Body {
    try Wire.decode(
      Body.self, from: Wire.encode(response: body, base: "http://here"), as: .response)
  }

  @Test(arguments: [nil, ["text"], ["secret", "rank", "file"], ["tags", "nothing"], []])
  func answersHaveTheFieldsThatWereSaved(_ keys: [String]?) async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    let expected = Dictionary(
      uniqueKeysWithValues: (0..<12).map { ("n\($0)", Self.fields($0)) })
    let saved = try read(
      try await fixture.service.modify(
        .init(
          operations: expected.map { name, fields in
            Operation(.create, RecordInput(name, type: "Note", fields: fields))
          }, zoneID: ServiceFixture.zone, desiredKeys: keys), at: ServiceFixture.private,
        by: ServiceFixture.an))
    let asset = try await fixture.upload(
      ServiceFixture.bytes(10), "file", "Note", in: ServiceFixture.zone)
    try await fixture.save(
      "file", ["file": .asset(asset), "rank": .int64(7)], in: ServiceFixture.zone)
    try await fixture.save("gone", in: ServiceFixture.zone)
    try await fixture.delete("gone", in: ServiceFixture.zone)

    func check(_ results: [RecordResult], _ title: Comment) throws {
      for result in results where !["file", "gone"].contains(result.recordName ?? "") {
        let record = try #require(result.record, title)
        let fields = try #require(expected[record.recordName], title)
        #expect(
          record.fields == fields.filter { keys?.contains($0.key) ?? true },
          "\(title) \(record.recordName)")
        #expect(record.zoneID == ServiceFixture.zone, title)
        #expect(record.created?.userRecordName == ServiceFixture.an.userRecordName, title)
      }
    }
    try check(saved.records, "modify")
    #expect(saved.records.count == 12)
    let names = expected.keys + ["file"]
    let feed = try read(
      try await fixture.service.changesZone(
        .init(zones: [.init(ServiceFixture.zone)], desiredKeys: keys), at: ServiceFixture.private,
        by: ServiceFixture.an))
    let changes = try feed.zones[0].get().records
    #expect(changes.count == 14)
    #expect(changes.last?.tombstone?.recordName == "gone")
    try check(changes, "changes")
    let found = try read(
      try await fixture.service.lookup(
        .init(records: names.map { .init($0) }, zoneID: ServiceFixture.zone, desiredKeys: keys),
        at: ServiceFixture.private, by: ServiceFixture.an)
    ).records
    #expect(found.count == 13)
    try check(found, "lookup")
    for sorts in [[], [Sort("rank", ascending: false)]] {
      let page = try read(
        try await fixture.service.query(
          .init(Query("Note", sorts: sorts), zoneID: ServiceFixture.zone, desiredKeys: keys),
          at: ServiceFixture.private, by: ServiceFixture.an))
      #expect(page.records.count == 13)
      try check(page.records, "query")
    }
    // An asset has a URL in each answer.
    for results in [changes, found] where keys?.contains("file") ?? true {
      let record = results.first { $0.recordName == "file" }?.record
      let url = record?["file"]?.assets.first?.downloadURL
      #expect(url?.hasPrefix("http://here/assets/download/") == true)
    }
  }

  /// A field that was not asked for does not appear in any form, encrypted or not.
  @Test func fieldsThatWereNotAskedForAreNotSent() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    _ = try await fixture.modify(
      [
        Operation(
          .create,
          RecordInput(
            "a", type: "Note",
            fields: [
              "text": Field(.string("shown")), "plain": Field(.string("kept back")),
              "tags": Field(.strings(["text", "kept back"])),
              "secret": Field(.string("kept back"), isEncrypted: true),
            ])),
        Operation(.create, note("b", ["text": .string("shown"), "plain": .string("kept back")])),
      ], in: ServiceFixture.zone)
    let answer = try await fixture.service.lookup(
      .init(
        records: [.init("a"), .init("b")], zoneID: ServiceFixture.zone, desiredKeys: ["text"]),
      at: ServiceFixture.private, by: ServiceFixture.an)
    let text = String(decoding: try Wire.encode(response: answer), as: UTF8.self)
    #expect(text.components(separatedBy: "shown").count == 3)
    for word in ["kept back", "plain", "tags", "secret"] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test func damagedRecordsFailTheRequest() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save("a", ["text": .string("x")], in: ServiceFixture.zone)
    for content in ["", "{", #"{"text":{"type":"STRING","value":"x"}"#, "\u{0}"] {
      _ = try await fixture.database.write { connection in
        try connection.run(
          "UPDATE record SET content = ? WHERE name = 'a'", [Data(content.utf8)])
      }
      let errors = [
        await serviceError { try await fixture.page() },
        await serviceError { try await fixture.lookup(["a"], in: ServiceFixture.zone) },
        await serviceError { try await fixture.names(Query("Note"), in: ServiceFixture.zone) },
      ]
      #expect(errors.map(\.?.code) == Array(repeating: .internalError, count: 3), "\(content)")
    }
  }
}

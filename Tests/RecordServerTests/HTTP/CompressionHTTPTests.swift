import CloudRecords
import Compression
import Foundation
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Responses that are compressed for clients that ask for it.
struct CompressionHTTPTests {
  private struct Damaged: Error {}

  private func decompressed(_ body: Data) throws -> Data {
    var bytes = Data()
    try Inflater.inflate(
      Array(body)[...], as: .gzip, damaged: { _ in Damaged() },
      receive: { part throws(Damaged) in bytes += part.output })
    return bytes
  }

  /// Saves favorites with about 1,800 bytes of text each.
  private func fill(_ web: WebFixture, as person: WebFixture.Person, count: Int) async throws {
    _ = try await web.modify(
      (0..<count).map { number in
        Operation(
          .forceReplace,
          RecordInput(
            "favorite-\(person.user)-\(number)", type: "FavoriteAyah",
            fields: [
              "ayahID": Field(.string("\(number):1 " + String(repeating: "chữ ", count: 300))),
              "ownerRecordName": Field(.string(person.user)),
            ]))
      }, as: person)
  }

  private func reply(
    _ accepted: String?, _ web: WebFixture, _ route: Route, _ body: String,
    _ person: WebFixture.Person
  ) async throws -> WebFixture.Reply {
    try await web.send(
      "POST", web.path(route, person.token), body: Data(body.utf8),
      headers: accepted.map { [("Accept-Encoding", $0)] } ?? [])
  }

  private static let wholeFeed = #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"}}]}"#

  @Test func aClientGetsWhatItAsksFor() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      try await fill(web, as: an, count: 200)
      let plain = try await reply(nil, web, .changesZone, Self.wholeFeed, an)
      #expect(plain.status == 200)
      #expect(plain.body.count > 200_000)
      for (accepted, isCompressed) in [
        (nil, false), ("", false), ("identity", false), ("br, zstd", false), ("gzip;q=0", false),
        ("GZIP; Q=0.000", false), ("*;q=0", false), ("gzip;q=0, *", false),
        ("gzip;q=0.5, identity", false), ("gzip;q=x", false),
        ("gzip;q=2", false), ("gzip;q=inf", false), ("gzip;q=0x1", false),
        ("gzip", true), ("deflate, gzip, br", true), ("GZip;q=0.1", true), ("*", true),
        ("x-gzip", true), ("identity;q=0.5, gzip", true), ("gzip;q=1.0,*;q=0", true),
      ] as [(String?, Bool)] {
        let reply = try await reply(accepted, web, .changesZone, Self.wholeFeed, an)
        #expect(reply.status == 200)
        #expect(reply.header("Vary") == "Accept-Encoding", "\(accepted ?? "-")")
        #expect(
          reply.header("Content-Encoding") == (isCompressed ? "gzip" : nil), "\(accepted ?? "-")")
        #expect(reply.header("Content-Length") == "\(reply.body.count)")
        #expect(
          try (isCompressed ? decompressed(reply.body) : reply.body) == plain.body,
          "\(accepted ?? "-")")
        if isCompressed { #expect(reply.body.count < plain.body.count / 10) }
      }
    }
  }

  @Test func onlyRecordsOfSomeSizeAreCompressed() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let small = try await reply("gzip", web, .changesZone, Self.wholeFeed, an)
      #expect(small.body.count < 1024)
      #expect(small.header("Content-Encoding") == nil)
      try await fill(web, as: an, count: 2)
      let names = #"{"records":[{"recordName":"favorite-\#(an.user)-0"}]}"#
      let found = try await reply("gzip", web, .recordsLookup, names, an)
      #expect(found.header("Content-Encoding") == "gzip")
      #expect(try decompressed(found.body).count > 1024)
      // Errors and responses with secrets are not compressed.
      let error = try await reply(
        "gzip", web, .recordsLookup,
        #"{"records":"\#(String(repeating: "x", count: 5000))"}"#, an)
      #expect(error.status == 400)
      #expect(error.header("Content-Encoding") == nil)
      let token = try await reply(
        "gzip", web, .tokensCreate, #"{"apnsEnvironment":"development"}"#, an)
      #expect(token.status == 200)
      #expect(token.header("Content-Encoding") == nil)
      #expect(token.header("Vary") == nil)
    }
  }
}

struct DeflaterTests {
  private struct Damaged: Error {}

  @Test func bytesAreDecompressedAgain() throws {
    for count in [1000, 1 << 16, (1 << 16) + 1, 1 << 20, 5_000_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) & 31 }
      let gzip = try #require(Deflater.gzip(bytes), "\(count)")
      #expect(gzip.count < count)
      var read: [UInt8] = []
      try Inflater.inflate(
        gzip[...], as: .gzip, damaged: { _ in Damaged() },
        receive: { part throws(Damaged) in read += part.output })
      #expect(read == bytes, "\(count)")
      #expect(Deflater.gzip(Data(bytes)) == gzip)
    }
  }

  @Test func bytesThatDoNotBecomeFewerAreLeft() {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(Deflater.gzip(noise) == nil)
    #expect(Deflater.gzip([1, 2, 3]) == nil)
    #expect(Deflater.gzip([UInt8]()) == nil)
  }
}

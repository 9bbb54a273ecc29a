import CloudRecords
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RecordServiceSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Assets over HTTP.
struct AssetHTTPTests {
  private static func run(
    _ change: @escaping (inout WebFixture.Setup) -> Void = { _ in },
    _ body: @escaping @Sendable (WebFixture, WebFixture.Person) async throws -> Void
  ) async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema + ServiceFixture.assetTypes
      change(&$0)
    } _: { web in
      try await body(web, try await web.person("an"))
    }
  }

  private static func uploadURL(
    _ web: WebFixture, _ person: WebFixture.Person
  ) async throws -> String {
    let answer = try await web.post(
      AssetsUpload.self, .init(tokens: [.init(recordType: "Album", fieldName: "cover")]),
      as: person)
    return try #require(answer.tokens.first).url
  }

  private static func upload(
    _ bytes: Data, _ web: WebFixture, _ person: WebFixture.Person
  ) async throws -> Asset {
    let reply = try await web.send("POST", uploadURL(web, person), body: bytes)
    try #require(reply.status == 200, "\(reply.text)")
    return try Wire.decode(AssetsUpload.UploadResponse.self, from: reply.body, as: .response)
      .singleFile
  }

  /// Saves a record with an asset, and returns the URL of the asset.
  private static func save(
    _ bytes: Data, _ web: WebFixture, _ person: WebFixture.Person
  ) async throws -> String {
    let input = note(
      "a", ["cover": .asset(try await upload(bytes, web, person))], type: "Album")
    let saved = try await web.modify([Operation(.forceReplace, input)], as: person)
    return try #require(saved.first?.record?["cover"]?.assets.first?.downloadURL)
  }

  @Test func anAssetIsDownloadedAndNeverShown() async throws {
    try await Self.run { web, an in
      let bytes = Data("<script>alert(1)</script>".utf8)
      let url = try await Self.save(bytes, web, an)
      // The answers to a save and to a lookup have the complete URL.
      #expect(url.hasPrefix(web.url + "/assets/download/"))
      let read = try await web.lookup(["a"], as: an).first?.record?["cover"]?.assets.first
      #expect(read?.downloadURL?.hasPrefix(web.url + "/assets/download/") == true)
      let reply = try await web.send("GET", url, headers: [("Origin", "https://example.org")])
      #expect(reply.status == 200 && reply.body == bytes)
      #expect(reply.header("Content-Type") == "application/octet-stream")
      #expect(reply.header("Content-Disposition") == "attachment")
      #expect(reply.header("X-Content-Type-Options") == "nosniff")
      #expect(reply.header("Content-Security-Policy") == "default-src 'none'; sandbox")
      #expect(reply.header("Cache-Control") == "private, no-store")
      #expect(reply.header("Access-Control-Allow-Origin") == "*")
      let head = try await web.send("HEAD", url)
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head.header("Content-Length") == "\(bytes.count)")
    }
  }

  @Test func partsAreServed() async throws {
    try await Self.run { web, an in
      let chunk = AssetRow.chunkBytes
      let bytes = ServiceFixture.bytes(2 * chunk + 100)
      let url = try await Self.save(bytes, web, an)
      let ranges = [
        ("bytes=0-0", 0..<1), ("bytes=\(chunk - 1)-\(chunk)", chunk - 1..<chunk + 1),
        ("bytes=\(chunk)-", chunk..<bytes.count), ("bytes=-5", bytes.count - 5..<bytes.count),
        ("bytes=10-99999999", 10..<bytes.count), ("bytes=-99999999", 0..<bytes.count),
        ("bytes=7-\(Int.max)", 7..<bytes.count), ("bytes=7-\(Int.max - 1)", 7..<bytes.count),
      ]
      for (header, range) in ranges {
        let reply = try await web.send("GET", url, headers: [("Range", header)])
        #expect(reply.status == 206, "\(header)")
        #expect(reply.body == bytes[range], "\(header)")
        #expect(
          reply.header("Content-Range")
            == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)")
      }
      for header in ["bytes=\(bytes.count)-", "bytes=-0"] {
        let reply = try await web.send("GET", url, headers: [("Range", header)])
        #expect(reply.status == 416, "\(header)")
        #expect(reply.header("Content-Range") == "bytes */\(bytes.count)")
      }
      let ignored = [
        "bytes=5-4", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4", "bytes=", "bytes=-",
        "bytes=+1-2", "bytes=99999999999999999999-",
      ]
      for header in ignored {
        let reply = try await web.send("GET", url, headers: [("Range", header)])
        #expect(reply.status == 200 && reply.body == bytes, "\(header)")
      }
    }
  }

  @Test func rangesBeyondTheEndAreCharged() async throws {
    try await Self.run {
      $0.web.accountRate = TokenBucket.Rate(perSecond: 1, burst: 10)
    } _: { web, an in
      let url = try await Self.save(Data("x".utf8), web, an)
      var statuses: Set<Int> = []
      for _ in 0..<20 {
        statuses.insert(try await web.send("GET", url, headers: [("Range", "bytes=1-")]).status)
      }
      #expect(statuses == [416, 429])
    }
  }

  /// The connection ends within the bytes, and the client sends them again.
  @Test func anUploadThatIsCutIsSentAgain() async throws {
    try await Self.run { web, an in
      let bytes = ServiceFixture.bytes(3 * AssetRow.chunkBytes + 9)
      let url = try await Self.uploadURL(web, an)
      let place = try #require(URLComponents(string: url))
      for sent in [0, 1, AssetRow.chunkBytes + 3, bytes.count - 1] {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(host: try #require(place.host), port: try #require(place.port)).get()
        var buffer = ByteBuffer(
          string: "POST \(place.path) HTTP/1.1\r\nHost: \(place.host ?? "")\r\n"
            + "Content-Length: \(bytes.count)\r\n\r\n")
        buffer.writeBytes(bytes.prefix(sent))
        try await channel.writeAndFlush(buffer)
        try await channel.close()
      }
      let reply = try await web.send("POST", url, body: bytes)
      #expect(reply.status == 200)
      // The parts of cut uploads are deleted at once, not after hours.
      while try await web.service.usage(of: an.account.id).bytes != bytes.count {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  @Test func refusalsAreThoseOfTheProtocol() async throws {
    try await Self.run {
      $0.options.quota.bytes = 1000
    } _: { web, an in
      let url = try await Self.uploadURL(web, an)
      func summary(_ url: String, _ body: Data) async throws -> String {
        let reply = try await web.send("POST", url, body: body)
        return "\(reply.status) \(reply.error?.code.rawValue ?? reply.text)"
      }
      #expect(try await summary(url, Data(count: 1001)) == "413 QUOTA_EXCEEDED")
      #expect(try await summary(url + "A", Data()) == "404 NOT_FOUND")
      #expect(try await summary(web.url + "/assets/upload/x", Data("x".utf8)) == "404 NOT_FOUND")
      let wrongMethod = try await web.send("GET", url)
      #expect(wrongMethod.status == 405 && wrongMethod.header("Allow") == "POST")
      web.clock.advance(AssetSigner.uploadLifetime)
      #expect(try await summary(url, Data()) == "404 NOT_FOUND")
    }
  }

  /// An upload may be larger than the limit of other bodies.
  @Test func anAssetMayBeLargerThanOtherBodies() async throws {
    try await Self.run { web, an in
      let bytes = ServiceFixture.bytes(Limits.requestBytes + 1)
      let url = try await Self.save(bytes, web, an)
      #expect(try await web.send("GET", url).body == bytes)
    }
  }

  /// Guessing URLs costs as much as guessing tokens.
  @Test func guessesAreLimited() async throws {
    try await Self.run { web, _ in
      var statuses: [Int: Int] = [:]
      for _ in 0..<TokenBucket.Rate.anonymous.burst + 10 {
        let status = try await web.send("GET", "/assets/download/guess").status
        statuses[status, default: 0] += 1
      }
      #expect(statuses == [404: Int(TokenBucket.Rate.anonymous.burst), 429: 10])
    }
  }
}

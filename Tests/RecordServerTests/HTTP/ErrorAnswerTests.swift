import CloudRecords
import Foundation
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Each error code for which CloudKit Web Services documents an HTTP status, as clients see it.
struct ErrorAnswerTests {
  typealias Person = WebFixture.Person

  /// The schema of these tests' container.
  private static let schema = """
    DEFINE SCHEMA
    RECORD TYPE Note (
      "___recordID" REFERENCE QUERYABLE,
      text STRING QUERYABLE, weight DOUBLE, parentNote REFERENCE,
      GRANT READ, CREATE, WRITE TO "_creator"
    );
    """

  private static func run(
    _ change: (inout WebFixture.Setup) -> Void = { _ in },
    _ body: @escaping @Sendable (WebFixture, Person) async throws -> Void
  ) async throws {
    try await WebFixture.run { setup in
      setup.schema = schema
      change(&setup)
    } _: { web in
      try await body(web, try await web.person("an"))
    }
  }

  /// Checks the answer to a request that failed as a whole: its status, code and reason, and that
  /// it has only the keys of the protocol.
  private func expect(
    _ reply: WebFixture.Reply, _ code: ErrorCode, _ status: Int, _ reason: String,
    also keys: Set<String> = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(reply.status == status, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(code.httpStatus == status, sourceLocation: sourceLocation)
    let object = try reply.object
    #expect(
      object["serverErrorCode"] as? String == code.rawValue, sourceLocation: sourceLocation)
    #expect(object["reason"] as? String == reason, sourceLocation: sourceLocation)
    #expect(
      object["uuid"] as? String == reply.header("X-Apple-Request-UUID"),
      sourceLocation: sourceLocation)
    #expect(
      Set(object.keys) == keys.union(["serverErrorCode", "reason", "uuid"]),
      sourceLocation: sourceLocation)
    #expect(
      reply.header("Content-Type") == "application/json; charset=utf-8",
      sourceLocation: sourceLocation)
  }

  /// The first item of an answer with status 200: the error of a single operation.
  private func item(_ reply: WebFixture.Reply) throws -> [String: Any] {
    #expect(reply.status == 200, "\(reply.text)")
    let records = try #require(try reply.object["records"] as? [[String: Any]])
    return try #require(records.first)
  }

  private func save(_ name: String, _ web: WebFixture, _ person: Person) async throws -> String {
    let results = try await web.modify(
      [Operation(.create, note(name, ["text": .string("a")]))], as: person)
    return try #require(results.first?.record?.recordChangeTag)
  }

  @Test func accessDenied() async throws {
    try await Self.run { web, an in
      // CREATE is granted only to the creator, so no user can create a public record.
      let reply = try await web.reply(
        RecordsModify.self, .init(operations: [Operation(.create, note("n"))]), as: an,
        .production, .public)
      let item = try self.item(reply)
      #expect(item["serverErrorCode"] as? String == "ACCESS_DENIED")
      #expect(item["reason"] as? String == "CREATE operation not permitted")
      #expect(Set(item.keys) == ["recordName", "reason", "serverErrorCode"])
      try self.expect(
        try await web.send(
          "POST", web.path(.usersDiscover, an.token, .production, .public),
          body: Data(#"{"lookupInfos":[{"emailAddress":"a@example.org"}]}"#.utf8)),
        .accessDenied, 403, "users are not shown to each other")
    }
  }

  @Test func atomicError() async throws {
    try await Self.run { web, an in
      _ = try await web.post(
        ZonesModify.self, .init(operations: [.init(.create, ZoneID("Z"))]), as: an)
      let reply = try await web.post(
        .recordsModify,
        """
        {"zoneID":{"zoneName":"Z"},"operations":[
          {"operationType":"create","record":{"recordType":"Note","recordName":"good"}},
          {"operationType":"create","record":{"recordType":"None","recordName":"bad"}}]}
        """, as: an)
      let records = try #require(try reply.object["records"] as? [[String: Any]])
      #expect(records.map { $0["serverErrorCode"] as? String } == ["ATOMIC_ERROR", "BAD_REQUEST"])
      #expect(records[0]["reason"] as? String == "Atomic failure")
      #expect(ErrorCode.atomicError.httpStatus == 400)
      let found = try await web.lookup(["good", "bad"], as: an, in: ZoneID("Z"))
      #expect(found.summary == ["NOT_FOUND: record not found", "NOT_FOUND: record not found"])
    }
  }

  @Test func authenticationFailed() async throws {
    try await Self.run { web, an in
      let wrong = String(repeating: "0", count: 64)
      for token in [wrong, "", "x", "%00", String(repeating: "f", count: 63)] {
        try self.expect(
          try await web.send(
            "GET", web.path(.usersCaller, an.token, apiToken: token)), .authenticationFailed, 401,
          "no such API token for this container and environment")
      }
      try self.expect(
        try await web.send("GET", Route.usersCaller.path(web.container, .production, .public)),
        .authenticationFailed, 401, "ckAPIToken is missing")
      let elsewhere = Route.usersCaller.path(AccountFixture.other, .production, .public)
      try self.expect(
        try await web.send("GET", "\(elsewhere)?ckAPIToken=\(web.apiToken)"),
        .authenticationFailed, 401, "no such API token for this container and environment")
      try self.expect(
        try await web.send(
          "POST", web.path(.recordsQuery, nil, .production, .public), body: Data("{}".utf8),
          headers: [("X-Apple-CloudKit-Request-KeyID", wrong)]), .authenticationFailed, 401,
        "a signed request must not have ckAPIToken or ckWebAuthToken")
    }
  }

  @Test func authenticationRequired() async throws {
    try await Self.run { web, an in
      let url =
        "\(web.url)/sign-in?ckAPIToken=\(web.apiToken)"
      for token in [nil, "", "x", String(repeating: "0", count: 128), an.token + "0"] {
        let reply = try await web.send(
          "POST", web.path(.zonesList, token), body: Data("{}".utf8))
        try self.expect(
          reply, .authenticationRequired, 421, "request needs authorization",
          also: ["redirectURL"])
        #expect(try reply.object["redirectURL"] as? String == url)
      }
      // The URL leads to the sign-in page.
      let page = try await web.send("GET", url)
      #expect(page.status == 200)
      #expect(page.text.contains("<form"))
    }
  }

  @Test func badRequest() async throws {
    try await Self.run { web, an in
      try self.expect(
        try await web.post(.recordsLookup, "{", as: an), .badRequest, 400,
        "not JSON: expected a key in quotation marks at byte 1")
      try self.expect(
        try await web.post(.recordsLookup, #"{"records":[{"recordName":7}]}"#, as: an),
        .badRequest, 400, "records[0].recordName: expected a string")
      try self.expect(
        try await web.post(
          .recordsQuery,
          #"{"query":{"recordType":"Note","filterBy":[{"fieldName":"weight","comparator":"EQUALS","#
            + #""fieldValue":{"value":1.5}}]}}"#, as: an), .badRequest, 400,
        "Field 'weight' is not marked queryable")
      try self.expect(
        try await web.post(
          .recordsQuery, #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"text"}]}}"#,
          as: an), .badRequest, 400, "Field 'text' is not marked sortable")
      try self.expect(
        try await web.send("POST", web.path(.changesZone, an.token, .production, .public)),
        .badRequest, 400, "the endpoint is not served in the database 'public'")
      let odd = try await web.send(
        "GET", "/database/1/nothing/production/public/users/caller?ckAPIToken=\(web.apiToken)")
      try self.expect(
        odd, .badRequest, 400, "the path does not name a container, environment and database")
    }
  }

  @Test func conflict() async throws {
    try await Self.run { web, an in
      let tag = try await self.save("n", web, an)
      try await web.modify(
        [Operation(.update, note("n", ["text": .string("b")], tag: tag))], as: an)
      let item = try self.item(
        try await web.reply(
          RecordsModify.self,
          .init(operations: [Operation(.update, note("n", ["text": .string("c")], tag: tag))]),
          as: an))
      #expect(item["serverErrorCode"] as? String == "CONFLICT")
      #expect(item["reason"] as? String == "client oplock error updating record")
      #expect(Set(item.keys) == ["recordName", "reason", "serverErrorCode"])
      #expect(ErrorCode.conflict.httpStatus == 409)
    }
  }

  @Test func exists() async throws {
    try await Self.run { web, an in
      _ = try await self.save("n", web, an)
      let item = try self.item(
        try await web.reply(
          RecordsModify.self, .init(operations: [Operation(.create, note("n"))]), as: an))
      #expect(item["serverErrorCode"] as? String == "EXISTS")
      #expect(item["reason"] as? String == "record to insert already exists")
      #expect(item["recordName"] as? String == "n")
      #expect(ErrorCode.exists.httpStatus == 409)
    }
  }

  @Test func internalErrorAndTryAgainLater() async throws {
    try await Self.run { web, an in
      for (failure, code, status, reason, keys) in [
        (
          StorageFailure.failed(.sqlite(code: 10, message: "disk I/O error")),
          ErrorCode.internalError, 500,
          "internal error", Set<String>()
        ),
        (.busy, .tryAgainLater, 503, "the service is busy", ["retryAfter"]),
        (.full, .tryAgainLater, 503, "the service has no room", ["retryAfter"]),
      ] {
        web.storage.fail(failure)
        let save = RecordsModify.Request(operations: [Operation(.create, note("n"))])
        try self.expect(
          try await web.reply(RecordsModify.self, save, as: an), code, status, reason, also: keys)
        let look = try await web.reply(
          RecordsLookup.self, .init(records: [.init("n")]), as: an)
        try self.expect(look, code, status, reason, also: keys)
        #expect((look.header("Retry-After") != nil) == !keys.isEmpty)
        web.storage.fail(nil)
        #expect(
          try await web.lookup(["n"], as: an).summary == ["NOT_FOUND: record not found"])
      }
    }
  }

  @Test func notFound() async throws {
    try await Self.run { web, an in
      let item = try self.item(
        try await web.reply(RecordsLookup.self, .init(records: [.init("none")]), as: an))
      #expect(item["serverErrorCode"] as? String == "NOT_FOUND")
      #expect(item["recordName"] as? String == "none")
      #expect(Set(item.keys) == ["recordName", "reason", "serverErrorCode"])
      try self.expect(
        try await web.send("GET", "/database/2/x"), .notFound, 404, "no such endpoint")
      // A path that is too long is not looked up.
      for (length, reason) in [(1000, "no such push channel"), (3000, "no such endpoint")] {
        let secret = String(repeating: "x", count: length)
        try self.expect(
          try await web.send("GET", "/courier/\(secret)"), .notFound, 404, reason)
      }
      try self.expect(
        try await web.post(.recordsQuery, #"{"query":{"recordType":"None"}}"#, as: an),
        .notFound, 404, "Did not find record type None")
    }
  }

  @Test func quotaExceeded() async throws {
    try await Self.run {
      $0.options.quota = Usage(bytes: 1_000_000, records: 1)
    } _: { web, an in
      _ = try await self.save("n", web, an)
      let item = try self.item(
        try await web.reply(
          RecordsModify.self, .init(operations: [Operation(.create, note("m"))]), as: an))
      #expect(item["serverErrorCode"] as? String == "QUOTA_EXCEEDED")
      #expect(item["reason"] as? String == "the quota is exceeded")
      #expect(ErrorCode.quotaExceeded.httpStatus == 413)
    }
  }

  @Test func throttled() async throws {
    try await Self.run { web, an in
      // The clock does not move, so the bucket is not refilled.
      let request = RecordsModify.Request(
        operations: (0..<200).map { Operation(.forceDelete, note("n\($0)", type: nil)) })
      for _ in 0..<100 {
        #expect(try await web.reply(RecordsModify.self, request, as: an).status == 200)
      }
      let reply = try await web.reply(RecordsModify.self, request, as: an)
      try self.expect(reply, .throttled, 429, "too many requests", also: ["retryAfter"])
      #expect(try reply.object["retryAfter"] as? Double == 1)
      #expect(reply.header("Retry-After") == "1")
      // Other users are not throttled.
      let binh = try await web.person("bình")
      #expect(try await web.reply(RecordsModify.self, request, as: binh).status == 200)
      web.clock.advance(1000)
      #expect(try await web.reply(RecordsModify.self, request, as: an).status == 200)
    }
  }

  @Test func theOperatorChoosesTheLimitOfAccounts() async throws {
    let request = RecordsModify.Request(
      operations: (0..<200).map { Operation(.forceDelete, note("n\($0)", type: nil)) })
    try await Self.run {
      $0.web.accountRate = TokenBucket.Rate(perSecond: 50, burst: 400)
    } _: { web, an in
      for _ in 0..<2 {
        #expect(try await web.reply(RecordsModify.self, request, as: an).status == 200)
      }
      let reply = try await web.reply(RecordsModify.self, request, as: an)
      try self.expect(reply, .throttled, 429, "too many requests", also: ["retryAfter"])
      #expect(try reply.object["retryAfter"] as? Double == 4)
    }
    try await Self.run {
      $0.web.accountRate = nil
    } _: { web, an in
      for _ in 0..<110 {
        let reply = try await web.reply(RecordsModify.self, request, as: an)
        #expect(reply.status == 200)
      }
    }
  }

  @Test func validatingReferenceError() async throws {
    try await Self.run { web, an in
      let reference = Reference("missing", action: .validate)
      let item = try self.item(
        try await web.reply(
          RecordsModify.self,
          .init(operations: [Operation(.create, note("n", ["parentNote": .reference(reference)]))]),
          as: an))
      #expect(item["serverErrorCode"] as? String == "VALIDATING_REFERENCE_ERROR")
      #expect(
        item["reason"] as? String
          == "Field=parentNote, recordID=missing, title=Record delete would violate validating "
          + "reference, rejecting update")
      #expect(ErrorCode.validatingReferenceError.httpStatus == 412)
    }
  }

  @Test func zoneNotFound() async throws {
    try await Self.run { web, an in
      let reply = try await web.post(
        .recordsLookup, #"{"records":[{"recordName":"n"}],"zoneID":{"zoneName":"None"}}"#, as: an)
      try self.expect(reply, .zoneNotFound, 404, "zone not found", also: ["zoneID"])
      let zones = try await web.post(
        ChangesZone.self, .init(zones: [.init(ZoneID("None"))]), as: an
      ).zones
      #expect(zones.first?.error?.code == .zoneNotFound)
    }
  }

  @Test func anUnmarkedRecordNameIsNotQueryableUntilItIsMarked() async throws {
    try await Self.run { web, an in
      let all = #"{"query":{"recordType":"Note"}}"#
      #expect(try await web.post(.recordsQuery, all, as: an).status == 200)
      let bare = Self.schema.replacing(#""___recordID" REFERENCE QUERYABLE,"#, with: "")
      try await web.service.importDevelopment(Schema(parsing: bare), of: web.container)
      try await web.service.deploy(web.container)
      try self.expect(
        try await web.post(.recordsQuery, all, as: an), .badRequest, 400,
        "Field 'recordName' is not marked queryable")
      try await web.service.importDevelopment(Schema(parsing: Self.schema), of: web.container)
      try await web.service.deploy(web.container)
      #expect(try await web.post(.recordsQuery, all, as: an).status == 200)
    }
  }
}

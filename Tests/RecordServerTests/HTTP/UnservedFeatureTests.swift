import CloudRecords
import Foundation
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The features that are not served, as clients see them.
struct UnservedFeatureTests {
  private static let schema = """
    DEFINE SCHEMA
    RECORD TYPE Note (
      "___recordID" REFERENCE QUERYABLE,
      text STRING QUERYABLE SEARCHABLE, place LOCATION QUERYABLE,
      GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
    );
    """

  /// A request for something that is not served.
  private struct Probe {
    var method = "POST"
    /// The path after the environment.
    let path: String
    var body = "{}"
    var code = ErrorCode.badRequest

    static func query(_ query: String) -> Probe {
      Probe(path: "private/records/query", body: #"{"query":{\#(query)}}"#)
    }

    static func filter(_ filter: String) -> Probe {
      query(
        #""recordType":"Note","filterBy":[{\#(filter),"fieldValue":{"value":"a"}}]"#)
    }

    static func subscription(_ subscription: String) -> Probe {
      Probe(
        path: "private/subscriptions/modify",
        body: """
          {"operations":[{"operationType":"create","subscription":{"subscriptionID":"s",
          \(subscription)}}]}
          """)
    }

    static func record(_ database: String, _ type: String, _ keys: String) -> Probe {
      Probe(
        path: "\(database)/records/modify",
        body: """
          {"operations":[{"operationType":"create","record":{"recordName":"n",
          "recordType":"\(type)"\(keys)}}]}
          """)
    }
  }

  private static let here = #"{"latitude":21,"longitude":105}"#

  private static func probes(for feature: UnservedFeature) -> [Probe] {
    switch feature {
    case .sharing: sharingProbes
    case .userLookup:
      ["public", "private", "shared"].flatMap { database in
        [
          Probe(method: "GET", path: "\(database)/users/discover", code: .accessDenied),
          Probe(
            path: "\(database)/users/discover", body: #"{"lookupInfos":[{"emailAddress":"a@b"}]}"#,
            code: .accessDenied),
          Probe(path: "\(database)/users/lookup/email", code: .accessDenied),
          Probe(path: "\(database)/users/lookup/id", code: .accessDenied),
          Probe(path: "\(database)/users/lookup/contacts", code: .accessDenied),
        ]
      }
    case .assetRereference:
      ["public", "private"].map { Probe(path: "\($0)/assets/rereference") }
    case .distance:
      [
        .query(
          """
          "recordType":"Note","filterBy":[{"fieldName":"place","comparator":"NEAR","distance":5,
          "fieldValue":{"value":\(here)}}]
          """),
        .query(
          #""recordType":"Note","sortBy":[{"fieldName":"place","relativeLocation":\#(here)}]"#),
        .subscription(
          """
          "subscriptionType":"query","firesOn":["create"],"query":{"recordType":"Note",
          "filterBy":[{"fieldName":"place","comparator":"NEAR","fieldValue":{"value":\(here)}}]}
          """),
      ]
    case .tokenSearch:
      [
        .filter(#""fieldName":"text","comparator":"CONTAINS_ALL_TOKENS""#),
        .filter(#""fieldName":"text","comparator":"CONTAINS_ANY_TOKENS""#),
        .filter(#""comparator":"CONTAINS_ANY_TOKENS""#),
      ]
    case .reversedChanges:
      [
        Probe(
          path: "private/changes/zone",
          body: #"{"zones":[{"zoneID":{"zoneName":"Z"},"reverse":true}]}"#)
      ]
    case .otherSubscriptionTypes: [.subscription(#""subscriptionType":"database""#)]
    case .applePush:
      [
        Probe(
          path: "tokens/register",
          body: """
            {"apnsEnvironment":"production","apnsToken":"\(String(repeating: "7", count: 64))"}
            """)
      ]
    }
  }

  private static var sharingProbes: [Probe] {
    var probes: [Probe] = [
      Probe(path: "public/records/resolve", body: #"{"shortGUIDs":[{"value":"x"}]}"#),
      Probe(path: "private/records/accept", body: #"{"shortGUIDs":[{"value":"x"}]}"#),
      Probe(path: "shared/records/query", body: #"{"query":{"recordType":"Note"}}"#),
      Probe(path: "shared/changes/database"),
      // Clients ask for the zones of the shared database, although Apple does not document it.
      Probe(path: "shared/zones/list"),
      .query(#""recordType":"cloudkit.share""#),
      .subscription(
        """
        "subscriptionType":"query","firesOn":["create"],"query":{"recordType":"cloudkit.share"}
        """),
      Probe(
        path: "private/zones/modify",
        body: """
          {"operations":[{"operationType":"create",
          "zone":{"zoneID":{"zoneName":"Shared"},"createShortGUID":true}}]}
          """),
    ]
    for database in ["public", "private"] {
      probes += [
        .record(database, "cloudkit.share", ""),
        .record(database, "Note", #","createShortGUID":true"#),
        .record(database, "Note", #","forRecord":{"recordName":"m"}"#),
        .record(database, "Note", #","publicPermission":"READ_ONLY""#),
        .record(database, "Note", #","participants":[{"permission":"READ_ONLY"}]"#),
      ]
    }
    return probes
  }

  @Test(arguments: UnservedFeature.allCases)
  func aRequestForItIsRefusedWithItsSentence(_ feature: UnservedFeature) async throws {
    try await WebFixture.run {
      $0.schema = Self.schema
    } _: { web in
      let an = try await web.person("an")
      _ = try await web.post(
        ZonesModify.self, .init(operations: [.init(.create, ZoneID("Z"))]), as: an)
      let probes = Self.probes(for: feature)
      #expect(!probes.isEmpty)
      for probe in probes {
        let module = probe.path.hasPrefix("tokens/") ? "device" : "database"
        let path =
          "/\(module)/1/\(web.container)/production/\(probe.path)?ckAPIToken=\(web.apiToken)"
          + "&ckWebAuthToken=\(an.token)"
        let reply = try await web.send(
          probe.method, path, body: probe.method == "GET" ? nil : Data(probe.body.utf8))
        let error = try Self.error(in: reply)
        #expect(error["serverErrorCode"] == probe.code.rawValue, "\(probe): \(reply.text)")
        #expect(error["reason"]?.contains(feature.sentence) == true, "\(probe): \(reply.text)")
      }
      // Nothing was saved or created.
      #expect(
        try await web.lookup(["n"], as: an).summary == ["NOT_FOUND: record not found"])
      let zones = try await web.post(ZonesList.self, EmptyBody(), as: an).zones
      #expect(zones.compactMap { $0.value?.zoneID.zoneName } == ["Z", "_defaultZone"])
    }
  }

  /// The error of a whole request, or that of its only item.
  private static func error(in reply: WebFixture.Reply) throws -> [String: String] {
    let object = try reply.object
    let items = ["records", "zones", "subscriptions"].lazy.compactMap {
      object[$0] as? [[String: Any]]
    }.first
    #expect(items == nil || items?.count == 1 && reply.status == 200)
    let error = items?.first ?? object
    return error.compactMapValues { $0 as? String }
  }

  @Test func keysThatAskForNoShareAreAccepted() async throws {
    try await WebFixture.run {
      $0.schema = Self.schema
    } _: { web in
      let an = try await web.person("an")
      let reply = try await web.post(
        .recordsModify,
        """
        {"operations":[{"operationType":"create","record":{"recordName":"n","recordType":"Note",
        "createShortGUID":false,"publicPermission":null,"participants":[]}}]}
        """, as: an)
      #expect(reply.status == 200)
      #expect(try await web.lookup(["n"], as: an).summary == ["n"])
    }
  }
}

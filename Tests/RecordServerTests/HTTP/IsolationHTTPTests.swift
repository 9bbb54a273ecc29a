import CloudRecords
import Foundation
import HTTPTypes
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// No endpoint shows data of one user to another user, and its answers are the same whether the
/// named data exists or not.
struct IsolationHTTPTests {
  /// A text that all of An's data contains, and that must not occur in any answer to Bình.
  private static let privateText = "bí mật của An"

  /// A request of Bình, which is sent once with the names of An's data and once with names that do
  /// not exist.
  private struct Probe {
    let title: String
    let json: (Names) -> String
  }

  /// Names of An's data, or names of the same lengths that do not exist.
  private struct Names {
    var record: String
    var zone: String
    var subscription: String
    var zoneToken: String
    var defaultZoneToken: String
    var databaseToken: String
    var marker: String
    var pushToken: String
    /// An's user record name, or one that no user has.
    var owner: String

    /// Replaces the names that were sent by question marks in an answer.
    func replacingNames(in answer: String) -> String {
      [
        record, zone, subscription, zoneToken, defaultZoneToken, databaseToken, marker, pushToken,
        owner,
      ].reduce(answer) { $0.replacing($1, with: "?") }
    }
  }

  @Test(arguments: ServedPath.all) func noEndpointRevealsDataOfAnotherUser(_ path: ServedPath)
    async throws
  {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
      $0.hasDefaultZoneFeed = true
    } _: { web in
      let an = try await web.person("an")
      let binh = try await web.person("bình")
      let names = try await Self.makeData(web, an)
      let nothing = Names(
        record: "nothing-7", zone: "Nowhere7", subscription: "no-such-1",
        zoneToken: Self.damaged(names.zoneToken),
        defaultZoneToken: Self.damaged(names.defaultZoneToken),
        databaseToken: Self.damaged(names.databaseToken), marker: Self.damaged(names.marker),
        pushToken: String(names.pushToken.reversed()), owner: ServiceFixture.user("9"))
      for probe in Self.probes(of: path.purpose) {
        for database in DatabaseScope.allCases {
          var answers: [String] = []
          // Nothing that a probe creates in Bình's database may change the answer to another
          // probe.
          for sent in [names, nothing] {
            let url = Self.url(path, web, binh, database, sent)
            let reply = try await web.send(
              path.method.rawValue, url,
              body: path.method == .get ? nil : Data(probe.json(sent).utf8))
            #expect(
              !reply.text.contains(Self.privateText),
              "\(path.template) \(probe.title): \(reply.text)")
            answers.append(
              "\(reply.status) " + Self.comparable(sent.replacingNames(in: reply.text)))
          }
          #expect(
            answers[0] == answers[1], "\(path.template) in \(database), \(probe.title)")
        }
      }
      // An's data is unchanged.
      #expect(
        try await web.lookup([names.record], as: an).first?.record?["text"]
          == .string(Self.privateText))
      #expect(
        try await web.lookup([names.record], as: an, in: ZoneID(names.zone)).first?.record?["text"]
          == .string(Self.privateText))
      #expect(
        try await web.post(
          RecordsLookup.self, .init(records: [.init(names.record)]), as: an, .production, .public
        ).records.first?.record?["text"] == .string(Self.privateText))
      #expect(
        try await web.post(
          SubscriptionsLookup.self, .init(subscriptions: [.init(names.subscription)]), as: an
        ).subscriptions.first?.value != nil)
    }
  }

  /// Saves records of An with the same name in the default zone, in another zone and in the public
  /// database, and creates one of everything else that has a name.
  private static func makeData(
    _ web: WebFixture, _ an: WebFixture.Person
  ) async throws -> Names {
    let zone = ZoneID("Secret-7")
    _ = try await web.post(ZonesModify.self, .init(operations: [.init(.create, zone)]), as: an)
    let drafts = ["secrets-1", "secrets-2", "secrets-3"].map {
      Operation(.create, note($0, ["text": .string(privateText)]))
    }
    try await web.modify(drafts, as: an)
    try await web.modify(drafts, as: an, in: zone)
    try await web.modify(
      [Operation(.create, note("secrets-1", ["text": .string(privateText)], type: "Diary"))],
      as: an,
      .production, .public)
    let subscription = Subscription(
      "an-sub-01", .query, query: Query("Note"), firesOn: [.create],
      notificationInfo: NotificationInfo(alertBody: privateText))
    _ = try await web.post(
      SubscriptionsModify.self, .init(operations: [.init(.create, subscription)]), as: an)
    let zones = try await web.post(
      ChangesZone.self, .init(zones: [.init(zone), .init(.default)]), as: an
    ).zones
    let query = try await web.post(
      RecordsQuery.self, .init(Query("Note"), resultsLimit: 1), as: an)
    let push = try await web.post(
      TokensCreate.self, .init(apnsEnvironment: .production), as: an)
    return Names(
      record: "secrets-1", zone: zone.zoneName, subscription: "an-sub-01",
      zoneToken: try #require(zones[0].value?.syncToken),
      defaultZoneToken: try #require(zones[1].value?.syncToken),
      databaseToken: try #require(
        try await web.post(ChangesDatabase.self, .init(), as: an).syncToken),
      marker: try #require(query.continuationMarker), pushToken: push.apnsToken, owner: an.user)
  }

  /// A token of the same kind and length with an invalid signature.
  private static func damaged(_ token: String) -> String {
    var bytes = Array(Data(base64Encoded: token) ?? Data())
    bytes[bytes.count - 1] ^= 1
    return Data(bytes).base64EncodedString()
  }

  private static func url(
    _ path: ServedPath, _ web: WebFixture, _ person: WebFixture.Person,
    _ database: DatabaseScope, _ names: Names
  ) -> String {
    path.template.replacing(":container", with: web.container.name)
      .replacing(":environment", with: "production")
      .replacing(":database", with: database.rawValue)
      // With the valid secret of a push channel, the request would wait for notifications.
      .replacing(":secret", with: String(names.pushToken.dropLast()) + "g")
      // Signing out would end Bình's session, so the request is sent without his token.
      + "?ckAPIToken=\(web.apiToken)"
      + (path.purpose == .signOut ? "" : "&ckWebAuthToken=\(person.token)")
  }

  /// The answer without the values that are different in any two answers.
  private static func comparable(_ answer: String) -> String {
    var answer = answer
    answer.replace(#/"uuid":"[^"]*"/#, with: "uuid")
    answer.replace(#/"apnsToken":"[^"]*"/#, with: "apnsToken")
    answer.replace(#/"webcourierURL":"[^"]*"/#, with: "webcourierURL")
    answer.replace(#/"(url|downloadURL)":"[^"]*"/#, with: "url")
    answer.replace(#/"recordChangeTag":"[^"]*"/#, with: "tag")
    answer.replace(#/"syncToken":"[^"]*"/#, with: "syncToken")
    answer.replace(#/"metaSyncToken":"[^"]*"/#, with: "syncToken")
    answer.replace(#/"subscriptionID":"[0-9A-F-]{36}"/#, with: "new")
    answer.replace(#/value="[A-Za-z0-9_.-]{60,}"/#, with: "sealed")
    return answer
  }

  // MARK: Probes

  // A new kind of path, or a new route, does not compile before it has its probes.
  private static func probes(of purpose: ServedPath.Purpose) -> [Probe] {
    switch purpose {
    case .endpoint(let route): probes(of: route)
    case .unserved:
      [Probe(title: "unserved") { #"{"records":[{"recordName":"\#($0.record)"}]}"# }]
    case .pushChannel, .assetDownload: [Probe(title: "secret") { _ in "" }]
    case .assetUpload: [Probe(title: "secret") { _ in "bytes" }]
    case .signIn, .register:
      [Probe(title: "form") { "request=\($0.zoneToken)&name=\($0.owner)" }]
    case .signOut: [Probe(title: "end") { #"{"session":"\#($0.owner)"}"# }]
    case .health, .index: [Probe(title: "page") { _ in "" }]
    // The metrics count the requests, so no two answers are the same.
    case .metrics: []
    }
  }

  private static var zoneIDs: [(String, (Names) -> String)] {
    [
      ("the default zone", { _ in #"{"zoneName":"_defaultZone"}"# }),
      ("a zone", { #"{"zoneName":"\#($0.zone)"}"# }),
      ("a zone and its owner", { #"{"zoneName":"\#($0.zone)","ownerRecordName":"\#($0.owner)"}"# }),
      (
        "the owner's default zone",
        { #"{"zoneName":"_defaultZone","ownerRecordName":"\#($0.owner)"}"# }
      ),
    ]
  }

  private static func inZones(_ json: @escaping (Names, String) -> String) -> [Probe] {
    zoneIDs.map { title, zoneID in Probe(title: title) { json($0, zoneID($0)) } }
  }

  private static func probes(of route: Route) -> [Probe] {
    switch route {
    case .recordsModify:
      ["create", "forceUpdate", "forceReplace", "delete", "forceDelete", "update", "replace"]
        .flatMap { operation in
          inZones { names, zoneID in
            #"""
            {"zoneID":\#(zoneID),"operations":[{"operationType":"\#(operation)","record":{
            "recordName":"\#(names.record)","recordType":"Note","recordChangeTag":"1",
            "fields":{"plain":{"value":"x"}}}}]}
            """#
          }
            // Deletes the record again, so the next probe finds the same state.
            + inZones { names, zoneID in
              #"""
              {"zoneID":\#(zoneID),"operations":[{"operationType":"forceDelete","record":{
              "recordName":"\#(names.record)"}}]}
              """#
            }
        }
        + ["NONE", "DELETE_SELF", "VALIDATE"].flatMap { action in
          inZones { names, zoneID in
            #"""
            {"operations":[{"operationType":"forceReplace","record":{"recordName":"mine",
            "recordType":"Note","fields":{"parentNote":{"value":{"recordName":"\#(names.record)",
            "zoneID":\#(zoneID),"action":"\#(action)"}}}}}]}
            """#
          }
        }
    case .recordsLookup:
      inZones { names, zoneID in
        #"{"zoneID":\#(zoneID),"records":[{"recordName":"\#(names.record)"}]}"#
      }
    case .recordsQuery:
      ["Note", "Diary"].flatMap { type in
        inZones { names, zoneID in
          #"{"zoneID":\#(zoneID),"query":{"recordType":"\#(type)"}}"#
        }
          + inZones { names, zoneID in
            #"""
            {"zoneID":\#(zoneID),"query":{"recordType":"\#(type)"},
            "continuationMarker":"\#(names.marker)","resultsLimit":1}
            """#
          }
          + inZones { names, zoneID in
            #"""
            {"zoneID":\#(zoneID),"query":{"recordType":"\#(type)","filterBy":[{
            "systemFieldName":"recordName","comparator":"EQUALS","fieldValue":{
            "value":{"recordName":"\#(names.record)","zoneID":\#(zoneID)},"type":"REFERENCE"}}]}}
            """#
          }
          + [
            Probe(title: "everywhere") { _ in
              #"{"zoneWide":true,"query":{"recordType":"\#(type)"}}"#
            },
            Probe(title: "by creator") { names in
              #"""
              {"query":{"recordType":"\#(type)","filterBy":[{
              "systemFieldName":"createdUserRecordName","comparator":"EQUALS","fieldValue":{
              "value":{"recordName":"\#(names.owner)"},"type":"REFERENCE"}}]}}
              """#
            },
          ]
      }
    case .recordsChanges:
      inZones { _, zoneID in #"{"zoneID":\#(zoneID)}"# }
        + tokens { #"{"zoneID":\#($1),"syncToken":"\#($0)"}"# }
    case .changesZone:
      inZones { _, zoneID in #"{"zones":[{"zoneID":\#(zoneID)}]}"# }
        + tokens { #"{"zones":[{"zoneID":\#($1),"syncToken":"\#($0)"}]}"# }
    case .changesDatabase:
      [Probe(title: "all") { _ in "{}" }] + tokens { token, _ in #"{"syncToken":"\#(token)"}"# }
    case .zonesChanges:
      [Probe(title: "all") { _ in "{}" }]
        + tokens { token, _ in #"{"metaSyncToken":"\#(token)"}"# }
    case .zonesList, .subscriptionsList, .usersCurrent, .usersCaller:
      [Probe(title: "all") { _ in "{}" }]
    case .zonesLookup:
      inZones { _, zoneID in #"{"zones":[\#(zoneID)]}"# }
    case .zonesModify:
      ["create", "delete"].flatMap { operation in
        inZones { _, zoneID in
          #"{"operations":[{"operationType":"\#(operation)","zone":{"zoneID":\#(zoneID)}}]}"#
        }
      }
    case .subscriptionsLookup:
      [
        Probe(title: "id") {
          #"{"subscriptions":[{"subscriptionID":"\#($0.subscription)"}]}"#
        }
      ]
    case .subscriptionsModify:
      ["delete", "update", "create", "delete"].flatMap { operation in
        inZones { names, zoneID in
          #"""
          {"operations":[{"operationType":"\#(operation)","subscription":{
          "subscriptionID":"\#(names.subscription)","subscriptionType":"query","zoneID":\#(zoneID),
          "query":{"recordType":"Note"},"firesOn":["create"]}}]}
          """#
        }
      }
    case .usersDiscover:
      [
        Probe(title: "name") {
          #"{"lookupInfos":[{"userRecordName":"\#($0.owner)"}]}"#
        }
      ]
    case .tokensCreate: [Probe(title: "new") { _ in #"{"apnsEnvironment":"production"}"# }]
    case .tokensRegister:
      [
        Probe(title: "token") {
          #"{"apnsEnvironment":"production","apnsToken":"\#($0.pushToken)"}"#
        }
      ]
    case .assetsUpload:
      inZones { names, zoneID in
        #"""
        {"zoneID":\#(zoneID),"tokens":[{"recordName":"\#(names.record)","recordType":"Note",
        "fieldName":"file"}]}
        """#
      }
    }
  }

  /// Each token of An in each zone.
  private static func tokens(_ json: @escaping (String, String) -> String) -> [Probe] {
    let tokens: [(String, (Names) -> String)] = [
      ("zone token", \.zoneToken), ("token of the default zone", \.defaultZoneToken),
      ("database token", \.databaseToken), ("marker", \.marker),
    ]
    return tokens.flatMap { title, token in
      zoneIDs.map { place, zoneID in
        Probe(title: "\(title) in \(place)") { json(token($0), zoneID($0)) }
      }
    }
  }
}

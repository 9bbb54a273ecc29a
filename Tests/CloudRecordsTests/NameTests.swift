import CloudRecords
import Testing

struct NameTests {
  @Test(arguments: [
    "a", "favorite-_abc-2:255", "note with spaces", "~", String(repeating: "x", count: 255),
  ])
  func validRecordNamesAreAccepted(_ name: String) {
    #expect(RecordNameRules.problem(withName: name) == nil)
    #expect(ZoneID.problem(withName: name) == nil)
  }

  @Test(arguments: [
    ("", NameProblem.empty), ("_a", .underscore), ("_", .underscore),
    ("ghi chú", .notPrintableASCII),
    ("a\u{0}", .notPrintableASCII), ("a\n", .notPrintableASCII), ("a\u{7F}", .notPrintableASCII),
    (String(repeating: "x", count: 256), .tooLong(limit: 255)),
  ])
  func invalidRecordNamesAreRefusedWithAReason(_ name: String, _ problem: NameProblem) {
    #expect(RecordNameRules.problem(withName: name) == problem)
    #expect(ZoneID.problem(withName: name) == problem)
  }

  @Test func aUserMayUseTheirOwnNameAsARecordName() {
    let user = "_" + String(repeating: "0a", count: 16)
    #expect(RecordNameRules.problem(withName: user) == .underscore)
    #expect(RecordNameRules.problem(withName: user, user: user) == nil)
    #expect(RecordNameRules.problem(withName: "_b", user: user) == .underscore)
  }

  @Test(arguments: ["iCloud.donald.kvietnamisht", "iCloud.a", "iCloud.net.data-envy.Tribe1"])
  func validContainerIDsAreAccepted(_ name: String) throws {
    let container = try #require(ContainerID(name))
    #expect(container.description == name)
    try expectBothWays(container, "\"\(name)\"")
  }

  @Test(arguments: [
    "", "iCloud", "iCloud.", "icloud.a", "iCloud.a/b", "iCloud.a b", "iCloud.é", "iCloud.a..b",
    "iCloud.a.", "iCloud..", "a.iCloud.b", "iCloud.a%2F", "iCloud.a?", "iCloud.\u{0}",
    "iCloud." + String(repeating: "a", count: 255),
  ])
  func invalidContainerIDsAreRefused(_ name: String) throws {
    #expect(ContainerID(name) == nil)
    let json = try text(["c": name])
    #expect(bodyProblem([String: ContainerID].self, json) != nil)
  }

  @Test func scopesHaveNumbers() {
    #expect(DatabaseScope.allCases.map(\.number) == [1, 2, 3])
    for scope in DatabaseScope.allCases { #expect(DatabaseScope(number: scope.number) == scope) }
    #expect(DatabaseScope(number: 0) == nil)
    #expect(DatabaseScope(number: 4) == nil)
  }

  @Test func aZoneWithoutANameIsTheDefaultZone() throws {
    #expect(try request(ZoneID.self, "{}") == .default)
    #expect(try request(ZoneID.self, #"{"zoneName":"_defaultZone"}"#).isDefault)
    try expectBothWays(
      ZoneID("Q", ownerRecordName: "_u", zoneType: .custom),
      #"{"ownerRecordName":"_u","zoneName":"Q","zoneType":"REGULAR_CUSTOM_ZONE"}"#)
    #expect(
      try answer(ZoneID.self, #"{"zoneName":"Q","zoneType":"NEW"}"#).zoneType
        == ZoneID.ZoneType(rawValue: "NEW"))
  }
}

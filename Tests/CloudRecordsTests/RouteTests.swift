import CloudRecords
import Foundation
import Testing

struct RouteTests {
  @Test func pathsAreThoseOfTheProtocol() throws {
    let container = try #require(ContainerID("iCloud.org.example"))
    #expect(
      Route.recordsModify.path(container, .development, .private)
        == "/database/1/iCloud.org.example/development/private/records/modify")
    #expect(
      UsersCaller.route.path(container, .production, .public)
        == "/database/1/iCloud.org.example/production/public/users/caller")
    #expect(
      TokensCreate.route.path(container, .production, .private)
        == "/device/1/iCloud.org.example/production/tokens/create")
    #expect(
      TokensRegister.route.path(container, .development, .public)
        == "/device/1/iCloud.org.example/development/tokens/register")
  }

  @Test func everyEndpointHasItsOwnRoute() {
    let endpoints: [any Endpoint.Type] = [
      RecordsModify.self, RecordsQuery.self, RecordsLookup.self, RecordsChanges.self,
      ChangesZone.self, ChangesDatabase.self, ZonesList.self, ZonesLookup.self, ZonesModify.self,
      ZonesChanges.self, SubscriptionsList.self, SubscriptionsLookup.self,
      SubscriptionsModify.self, UsersCurrent.self, UsersCaller.self, UsersDiscover.self,
      TokensCreate.self, TokensRegister.self, AssetsUpload.self,
    ]
    #expect(endpoints.map { $0.route } == Route.allCases)
    // Each is named after its route: RecordsModify is records/modify.
    for endpoint in endpoints {
      let name = endpoint.route.rawValue.split(separator: "/").map(\.capitalized).joined()
      #expect(String(describing: endpoint) == name)
    }
  }

  @Test func routesDeclareTheirDatabaseScopes() {
    #expect(!Route.changesZone.databases.contains(.public))
    #expect(Route.recordsQuery.databases == DatabaseScope.allCases)
    #expect(Route.tokensCreate.databases.isEmpty)
    #expect(Route.zonesModify.databases == [.public, .private])
  }

  @Test func listEndpointsAcceptGetAndPost() {
    #expect(Route.zonesList.method == .get)
    #expect(Route.zonesList.acceptedMethods == [.get, .post])
    #expect(Route.subscriptionsList.acceptedMethods == [.get, .post])
    #expect(Route.usersCaller.acceptedMethods == [.get])
    #expect(Route.recordsModify.acceptedMethods == [.post])
  }
}

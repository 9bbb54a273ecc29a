import CloudRecords
import Testing

struct GrantsTests {
  private let anonymous: Set<Role> = [.world]
  private let signedIn: Set<Role> = [.world, .icloud]
  private let owner: Set<Role> = [.world, .icloud, .creator]

  @Test func defaultGrantsLetAllReadAndTheCreatorWrite() {
    let grants = Grants.default
    for roles in [anonymous, signedIn, owner] { #expect(grants.allow(.read, to: roles)) }
    #expect(!grants.allow(.create, to: anonymous))
    #expect(grants.allow(.create, to: signedIn))
    #expect(!grants.allow(.write, to: signedIn))
    #expect(grants.allow(.write, to: owner))
  }

  @Test func nothingIsAllowedThatIsNotGranted() {
    for permission in Permission.allCases { #expect(!Grants().allow(permission, to: owner)) }
    for permission in Permission.allCases {
      let grants = Grants([.icloud: [permission]])
      for other in Permission.allCases {
        #expect(grants.allow(other, to: signedIn) == (other == permission))
        #expect(!grants.allow(other, to: anonymous))
        #expect(!grants.allow(other, to: []))
      }
    }
  }

  @Test func theCreatorRoleDoesNotAllowCreating() {
    let grants = Grants([.creator: [.read, .create, .write]])
    #expect(grants.allow(.read, to: owner))
    #expect(grants.allow(.write, to: owner))
    #expect(!grants.allow(.create, to: owner))
  }

  @Test func customRolesHaveTheirGrants() {
    let grants = Grants([.custom("editor"): [.write]])
    #expect(!grants.allow(.write, to: owner))
    #expect(grants.allow(.write, to: [.world, .custom("editor")]))
    #expect(!grants.allow(.write, to: [.custom("other")]))
  }

  @Test func rolesHaveNames() {
    for name in ["_world", "_icloud", "_creator", "editor", "_other"] {
      #expect(Role(name: name).name == name)
    }
    #expect(Role(name: "_world") == .world)
    #expect(Role(name: "_other") == .custom("_other"))
  }

  @Test func anEmptyGrantEqualsNoGrant() {
    #expect(Grants([.world: []]) == Grants())
    var grants = Grants([.world: [.read]])
    grants[.world] = []
    #expect(grants == Grants())
  }
}

import Foundation
import RecordServer
import TestSupport
import Testing

@testable import RecordServiceSupport

/// The command `move`.
@Suite struct MoveCommandTests {
  private func run(
    _ home: TestHome, from: String, to: String
  ) throws -> Outcome { try home.run("move", "--from", from, "--to", to) }

  @Test(.onlyPostgreSQL) func aServiceIsMovedThereAndBack() async throws {
    let home = try await TestHome.withOneRecord()
    let database = try PostgreSQLServer.shared.get().makeDatabase()
    let there = try run(home, from: home.data, to: database.address)
    #expect(there.status == 0, "\(there)")
    #expect(there.lines.count == 1)
    #expect(there.output.hasPrefix("1 account and 1 record were moved: "), "\(there)")
    let list = try home.run("user", "list", "--json", "--storage", database.address)
    #expect(list.objects.map { $0["name"] as? String } == ["an"], "\(list)")
    #expect(list.objects.first?["records"] as? Int == 1)

    // The addresses can come from the environment, where other users do not see a password.
    let other = "\(home.path)/deep/other"
    let back = try home.run(
      "move",
      environment: home.environment.merging([
        "RECORD_SERVICE_FROM": database.address, "RECORD_SERVICE_TO": other,
      ]) { $1 })
    #expect(back.status == 0, "\(back)")
    #expect(back.output == there.output)
    #expect(back.errors.contains("\(other)/server.key"), "\(back)")
    #expect(try permissions(of: other) == 0o700)
    #expect(
      try home.run("user", "list", "--json", "--data", other).output
        == home.run("user", "list", "--json").output)
    let doctor = try home.run("doctor", "--data", other)
    #expect(doctor.status == 0, "\(doctor)")
  }

  @Test(.onlyPostgreSQL) func nothingIsMovedFromADirectoryInUse() async throws {
    let home = try await TestHome.withOneRecord()
    let database = try PostgreSQLServer.shared.get().makeDatabase()
    try await home.withService { service in
      _ = try await service.accountService.accounts()
      let outcome = try run(home, from: home.data, to: database.address)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("A server is using"), "\(outcome)")
    }
    #expect(try run(home, from: home.data, to: database.address).status == 0)
    let again = try run(home, from: home.data, to: database.address)
    #expect(again.status == 1)
    #expect(again.errors.contains("has tables"), "\(again)")
    let full = try run(home, from: database.address, to: home.data)
    #expect(full.status == 1)
    #expect(full.errors.contains("is not empty"), "\(full)")
  }

  @Test(.onlyPostgreSQL) func aPlaceWithoutAServiceIsNotMoved() throws {
    let home = try TestHome()
    let database = try PostgreSQLServer.shared.get().makeDatabase()
    let there = try run(home, from: home.data, to: database.address)
    #expect(there.status == 1)
    #expect(there.errors.contains("no record service in \(home.data)"), "\(there)")
    let back = try run(home, from: database.address, to: home.data)
    #expect(back.status == 1)
    #expect(back.errors.contains("no record service in the database"), "\(back)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.data) == [])
  }

  @Test func aServiceWithoutItsKeyIsNotMoved() async throws {
    let home = try await TestHome.withOneRecord()
    try FileManager.default.removeItem(atPath: "\(home.data)/server.key")
    let outcome = try run(home, from: home.data, to: "postgresql:///records")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("server.key is missing"), "\(outcome)")
  }

  @Test func oneOfBothPlacesIsADirectory() throws {
    let home = try TestHome()
    for (from, to) in [
      (home.data, home.path + "/other"), ("postgresql:///a", "postgresql:///b"),
    ] {
      let outcome = try run(home, from: from, to: to)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("--from and --to"), "\(outcome)")
    }
    #expect(try home.run("move", "--from", home.data).status == 2)
  }

  /// Only libpq knows whether it can read an address.
  @Test(.onlyPostgreSQL) func anAddressThatCannotBeReadIsInvalidUsage() async throws {
    let home = try await TestHome.withOneRecord()
    for (address, reason) in [
      ("postgresql://u:secret@[::1/x", "percent-encoded"),
      ("postgresql://u:secret@h/x?none=1", "percent-encoded"),
      ("postgresql://u:secret@h:99999/x", "65535"), ("postgresql://u:secret@h:5432,h:0/x", "65535"),
      ("postgresql://u:@h:secret/x", "65535"),
      ("postgresql://u:secret@h/x?sslmode=bogus", "verify-full"),
    ] {
      let outcomes = [
        try home.run("user", "list", "--storage", address),
        try run(home, from: home.data, to: address),
      ]
      for outcome in outcomes {
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.contains("the address of the database"), "\(outcome)")
        #expect(outcome.errors.contains(reason), "\(outcome)")
        #expect(!outcome.errors.contains("secret"), "\(outcome)")
      }
    }
  }

  /// An address can have a password, which errors must not repeat.
  @Test(arguments: ["--to", "RECORD_SERVICE_TO"])
  func otherAddressesAreRefusedWithoutThem(_ place: String) throws {
    let home = try TestHome()
    let isOption = place.hasPrefix("-")
    for address in ["mysql://u:secret@h/x", "postgresql://u:secret%zz@h/x"] {
      let outcome = try home.run(
        ["move", "--from", home.data] + (isOption ? [place, address] : []),
        environment: home.environment.merging(isOption ? [:] : [place: address]) { $1 })
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(place), "\(outcome)")
      #expect(!outcome.errors.contains("secret"), "\(outcome)")
    }
  }
}

import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

/// How an earlier state of a library is recognized by its generation.
struct GenerationTests {
  private let place: TemporaryLibrary
  private var copy: String { place.directory.path + "/copy" }
  private var file: String { place.path + ".generation" }

  init() throws {
    place = try TemporaryLibrary()
  }

  private func account(_ origin: String = "https://records.example.org") -> SyncAccount {
    SyncAccount(
      origin: origin, container: "iCloud.org.example", environment: "production",
      userRecordName: "_an", isConfirmed: true)
  }

  private func connect() throws {
    try place.using { library in
      _ = try library.sync { try $0.setAccount(account()) }
    }
  }

  /// Changes the account of the library as sync does.
  private func sync() throws {
    try place.using { library in
      _ = try library.sync { transaction in
        var account = try #require(try transaction.account())
        account.listing += 1
        try transaction.setAccount(account)
      }
    }
  }

  private func putBack() throws {
    try FileManager.default.removeItem(atPath: place.path)
    try FileManager.default.copyItem(atPath: copy, toPath: place.path)
  }

  private func keepCopy() throws {
    try FileManager.default.copyItem(atPath: place.path, toPath: copy)
  }

  private var restoration: SyncAccount.Restoration? {
    get throws { try place.using { try $0.syncAccount()?.restoration } }
  }

  @Test func onlySyncRaisesTheGeneration() throws {
    try place.using { library in
      try library.commit([.setFavorite(.first, true)], at: 1)
      _ = try library.sync { try $0.account() }
      #expect(!FileManager.default.fileExists(atPath: file))
    }
    try connect()
    #expect(try permissions(of: file) == 0o600)
    let before = Generation(beside: place.path)
    try place.using { library in
      try library.commit([.setFavorite(.first, false)], at: 2)
      _ = try library.sync { try $0.account() }
    }
    #expect(before != nil && Generation(beside: place.path) == before)
    try sync()
    #expect(Generation(beside: place.path)?.number == before.map { $0.number + 1 })
    #expect(Generation(beside: place.path)?.lineage == before?.lineage)
  }

  @Test func aNewLibraryIsNotAnEarlierState() throws {
    try keepCopyOfEmptyLibrary()
    try connect()
    try sync()
    for suffix in ["", "-wal", "-shm"] { unlink(place.path + suffix) }
    try place.using { #expect(!$0.isFromBeforeConnection) }
    try putBack()
    try place.using { #expect($0.isFromBeforeConnection) }
  }

  private func keepCopyOfEmptyLibrary() throws {
    try place.using { _ in }
    try keepCopy()
  }

  @Test func anEarlierStateIsAskedAboutEachTimeItIsPutBack() throws {
    try connect()
    try keepCopy()
    for _ in 1...3 {
      try sync()
      #expect(try restoration == nil)
      try putBack()
      #expect(try restoration == .undecided)
      try place.using { try $0.chooseRestoration(.keepRestored) }
      #expect(try restoration == .keepRestored)
      // The file is put back again before sync carries out the answer.
      try putBack()
      #expect(try restoration == .undecided)
      try place.using { library in
        _ = try library.sync { transaction in
          var account = try #require(try transaction.account())
          account.restoration = nil
          try transaction.setAccount(account)
        }
      }
    }
  }

  @Test func theSameStateIsNotAskedAbout() throws {
    try connect()
    try keepCopy()
    try putBack()
    #expect(try restoration == nil)
  }

  @Test func aLibraryOfAnotherLineageIsAskedAbout() throws {
    let other = try TemporaryLibrary()
    try other.using { library in
      for number in 0..<9 {
        _ = try library.sync { try $0.setAccount(account("https://\(number).example.org")) }
      }
    }
    try FileManager.default.copyItem(atPath: other.path, toPath: copy)
    try connect()
    try putBack()
    #expect(try restoration == .undecided)
  }

  @Test func withoutAGenerationFileNothingIsAsked() throws {
    try connect()
    try keepCopy()
    try sync()
    for text in [nil, "", "\n", "1", "x y\n", "1 2 3\n"] {
      try putBack()
      try? FileManager.default.removeItem(atPath: file)
      if let text { try text.write(toFile: file, atomically: false, encoding: .utf8) }
      #expect(try restoration == nil, "\(text ?? "no file")")
    }
  }

  @Test func aLibraryWithoutAnAccountIsNotAskedAbout() throws {
    try place.using { _ in }
    try keepCopy()
    try connect()
    try putBack()
    #expect(try restoration == nil)
    // Connecting again does not ask either.
    try connect()
    #expect(try restoration == nil)
  }

  @Test func theGenerationOfALinkedLibraryIsBesideItsTarget() throws {
    try place.using { _ in }
    let link = place.directory.path + "/link.sqlite"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path)
    let library = try Library.open(link, at: 1).library
    _ = try library.sync { try $0.setAccount(account()) }
    library.close()
    #expect(Generation(beside: place.path) != nil)
    #expect(!FileManager.default.fileExists(atPath: link + ".generation"))
  }

  // MARK: Backups

  private func backUp() throws -> String { try place.using { try $0.backUp(at: 1) } }

  @Test(arguments: [
    SyncAccount.Restoration.undecided, .keepRestored, .keepService,
  ])
  func theAnswerIsStoredInARestoredBackup(_ answer: SyncAccount.Restoration) throws {
    try connect()
    let name = try backUp()
    try sync()
    _ = try Backups(of: place.path).restore(name, answer, at: 2)
    #expect(try restoration == answer)
    #expect(try restoration == answer)
  }

  @Test func aBackupOfAnUnconnectedLibraryIsRestoredUnchanged() throws {
    try place.using { _ in }
    let name = try backUp()
    _ = try Backups(of: place.path).restore(name, at: 2)
    #expect(
      try place.bytes() == Data(contentsOf: URL(filePath: Backups(of: place.path).path(name))))
    #expect(try restoration == nil)
  }

  @Test func aBackupFromBeforeTheConnectionGetsTheAccount() throws {
    try place.using { _ = try $0.commit([.setFavorite(.first, true)], at: 1) }
    let name = try backUp()
    try connect()
    try sync()
    _ = try Backups(of: place.path).restore(name, at: 2)
    let account = try #require(try place.using { try $0.syncAccount() })
    #expect(account.isSame(as: self.account()) && account.isConfirmed)
    #expect(account.restoration == .undecided && account.listing == 0)
  }

  @Test func restoringKeepsTheNewAddressOfTheService() throws {
    var account = account()
    account.serviceID = "service"
    try place.using { library in _ = try library.sync { try $0.setAccount(account) } }
    let name = try backUp()
    account.origin = "https://moved.example.org"
    try place.using { library in _ = try library.sync { try $0.setAccount(account) } }
    _ = try Backups(of: place.path).restore(name, at: 2)
    #expect(try place.using { try $0.syncAccount()?.origin } == "https://moved.example.org")
  }
}

import CloudRecords
import FoundationEssentials
import Library
import Messages
import Quran
import RecordClient
import Sync
import Terminal
import Testing
import Text

@testable import Reader

/// The status of sync on the screen, and the requests of the reader to sync.
@Suite struct SyncingTests {
  private func driver(_ size: Size = .medium) throws -> ReaderDriver {
    try ReaderDriver(size, opening: AyahID("2:255"))
  }

  private func lastRow(_ driver: ReaderDriver) -> Substring {
    driver.screen.split(separator: "\n").last ?? ""
  }

  // MARK: The corner

  @Test func nothingIsShownWithoutAConnection() throws {
    var driver = try driver()
    let before = driver.screen
    driver.sync(SyncStatus())
    #expect(driver.screen == before)
  }

  @Test(arguments: [
    (SyncStatus.unreachable, "↑3"), (.working, "⟳ ↑8800"), (.refused, "! 1 chưa gửi được"),
    (.expired, "! đăng nhập lại"), (.asking, "! xóa nhiều?"),
    (.restored, "! khôi phục?"), (.answered, "! mất mạng"),
  ])
  func cornerShowsTheStatus(_ status: SyncStatus, _ corner: String) throws {
    var driver = try driver()
    driver.sync(.done)
    driver.sync(status)
    #expect(lastRow(driver).hasSuffix(corner), "\(driver.screen)")
  }

  @Test func pendingChangesOfAnotherProcessAreCounted() throws {
    var driver = try driver()
    var status = SyncStatus.done
    status.isSyncedByOtherProcess = true
    driver.sync(status)
    #expect(lastRow(driver).contains("✓"))
    status.outbox = OutboxSummary(count: 1, otherThanProgress: 1, generations: 1)
    driver.sync(status)
    #expect(lastRow(driver).hasSuffix("↑1"), "\(driver.screen)")
  }

  @Test func failureOfAnotherProcessIsShown() throws {
    var driver = try driver()
    var status = SyncStatus.done
    status.isSyncedByOtherProcess = true
    status.account?.failure = .unreachable(network: "connectionRefused")
    driver.sync(status)
    driver.press("S")
    #expect(driver.screen.contains("Không đến được dịch vụ (kết nối bị từ chối)"))
  }

  /// The round succeeded, but the service refused the changes that wait.
  @Test func quotaExceededIsShown() throws {
    var driver = try driver()
    driver.sync(.full)
    #expect(lastRow(driver).hasSuffix("↑2"), "\(driver.screen)")
    driver.press("S")
    #expect(driver.screen.contains("Tài khoản trên dịch vụ đã đầy"), "\(driver.screen)")
    driver.press("q")
    driver.press("s")
    var status = SyncStatus.full
    status.attempts += 1
    driver.sync(status)
    #expect(driver.screen.contains("Tài khoản trên dịch vụ đã đầy"), "\(driver.screen)")
  }

  @Test func lastSyncTimeIsShownOfflineIfNothingWaits() throws {
    var driver = try driver()
    driver.sync(.done)
    let corner = lastRow(driver)
    driver.sync(.failing(.call(.unreachable(.connectionRefused))))
    #expect(lastRow(driver) == corner)
    #expect(corner.contains("✓ "))
  }

  @Test func messagesAndPromptsKeepTheCorner() throws {
    var driver = try driver(.small)
    driver.sync(.refused)
    for keys in ["f", "g2:2", "<Esc>:go", "<Esc>?", "<Esc>S"] {
      driver.press(keys)
      #expect(lastRow(driver).hasSuffix("! 1 chưa gửi được"), "\(keys)\n\(driver.screen)")
    }
  }

  /// The sentences are those of `quran-vi sync`.
  @Test(arguments: [false, true]) func theReasonForNoSyncIsTheSameEverywhere(
    _ isSignedOut: Bool
  ) throws {
    var driver = try driver(.large)
    driver.sync(SyncStatus(), isSignedOut: isSignedOut)
    let messages = driver.model.messages
    let state = isSignedOut ? messages.syncSignedOutState : messages.syncNotConnected
    #expect(messages.syncSignedOutState != messages.syncNotConnected)
    driver.press("s")
    #expect(driver.model.message?.text == state)
    driver.press("S")
    #expect(driver.screen.contains(state))
    driver.press("q<A-7>")
    #expect(driver.screen.contains(state.prefix(20)))
  }

  // MARK: Messages

  @Test func issueForTheUserIsReportedOnce() throws {
    var driver = try driver()
    driver.sync(.expired)
    #expect(driver.screen.contains("Phiên đăng nhập"))
    driver.press("jk")
    #expect(!driver.screen.contains("Phiên đăng nhập"))
    driver.sync(.expired)
    #expect(!driver.screen.contains("Phiên đăng nhập"))
    driver.sync(.done)
    driver.sync(.expired)
    #expect(driver.screen.contains("Phiên đăng nhập"))
  }

  @Test func issuesAreNotReportedWhileTyping() throws {
    var driver = try driver()
    driver.press("nviết dở")
    driver.sync(.expired)
    #expect(!driver.screen.contains("Phiên đăng nhập"))
    #expect(driver.screen.contains("viết dở"))
  }

  @Test func transientIssuesAreNotReported() throws {
    var driver = try driver()
    driver.sync(.unreachable)
    #expect(!driver.screen.contains("kết nối bị từ chối"))
  }

  // MARK: Requests and questions

  @Test func outcomeOfARequestedSyncIsReported() throws {
    var driver = try driver()
    driver.sync(.done)
    driver.press("s")
    #expect(driver.effects == [.sync(.now)])
    #expect(driver.screen.contains("Đang đồng bộ …"))
    var status = SyncStatus.unreachable
    driver.sync(status)
    #expect(driver.screen.contains("kết nối bị từ chối"))
    driver.press("s")
    status.attempts += 1
    driver.sync(status)
    #expect(driver.screen.contains("kết nối bị từ chối"))
    driver.press("s")
    status = .done
    status.attempts = 9
    driver.sync(status)
    #expect(driver.screen.contains("Đã đồng bộ lúc"))
  }

  @Test func syncWithoutAConnectionExplainsHowToConnect() throws {
    var driver = try driver()
    driver.press("s")
    #expect(driver.effects.isEmpty)
    #expect(driver.screen.contains("quran-vi sync connect URL"))
  }

  @Test func massDeletionNeedsTwoConfirmations() throws {
    var driver = try driver()
    driver.sync(.asking)
    driver.press("SDk")
    #expect(driver.effects.isEmpty)
    driver.press("Dc")
    #expect(driver.effects == [.sync(.answer(.accept(SyncStatus.question)))])
  }

  /// The answer accepts the deletions that the question named, not those that were added since.
  @Test func acceptedDeletionsAreThoseOfTheQuestion() throws {
    var driver = try driver()
    driver.sync(.asking)
    driver.press("SD")
    driver.sync(
      .failing(.massDeletion(MassDeletion(counts: [.note: 500], isProfileGone: true))))
    driver.press("c")
    #expect(driver.effects == [.sync(.answer(.accept(SyncStatus.question)))])
  }

  @Test func massDeletionCanBeRejected() throws {
    var driver = try driver()
    driver.sync(.asking)
    driver.press("SK")
    #expect(driver.effects == [.sync(.answer(.keepEverything))])
  }

  @Test(arguments: [
    ("R", SyncAccount.Restoration.keepRestored), ("V", .keepService),
  ])
  func restorationQuestionIsAnswered(
    _ key: String, _ answer: SyncAccount.Restoration
  ) throws {
    var driver = try driver()
    driver.sync(.restored)
    driver.press("S")
    #expect(driver.screen.contains("\(key)  "), "\(driver.screen)")
    driver.press(key)
    #expect(driver.screen.contains("c có · k không"))
    driver.press("k")
    #expect(driver.effects.isEmpty)
    driver.press(key + "c")
    #expect(driver.effects == [.sync(.answerRestored(answer))])
  }

  @Test func pendingRestorationAnswerIsShown() throws {
    var driver = try driver()
    driver.sync(.answered)
    driver.press("S")
    #expect(driver.screen.contains("Lần đồng bộ sau sẽ lấy bản trên dịch vụ."), "\(driver.screen)")
    #expect(driver.screen.contains("(từ 2026-11-22"), "\(driver.screen)")
  }

  @Test func answerKeysNeedAQuestion() throws {
    var driver = try driver()
    driver.sync(.done)
    driver.press("SDK")
    #expect(driver.effects.isEmpty)
  }

  @Test func parkedChangesAreRetried() throws {
    var driver = try driver()
    driver.sync(.refused)
    driver.press("S")
    #expect(driver.screen.contains("1200000 byte là quá lớn"))
    driver.press("r")
    #expect(driver.effects == [.sync(.retryParked)])
    driver.sync(.done)
    driver.press("r")
    #expect(driver.effects == [.sync(.retryParked)])
  }

  // MARK: The trash

  @Test func noteIsRestoredFromTheTrash() throws {
    let note = Note(
      id: UUID(), ayah: AyahID("3:8")!, text: try NoteText("Điều đã xóa"), createdAt: 1,
      modifiedAt: 2)
    var driver = try ReaderDriver(.medium) { library, now in
      try library.sync { try $0.addToTrash(note, at: now) }
    }
    driver.press("4")
    #expect(driver.screen.contains("⌫ Điều đã xóa"))
    driver.press("d")
    #expect(driver.screen.contains("Ghi chú này ở trong thùng rác"))
    driver.press("<Enter>k")
    #expect(try driver.library.noteList().isEmpty)
    driver.press("<Enter>c")
    #expect(try driver.library.note(note.id)?.text == note.text)
    #expect(try driver.library.trash().isEmpty)
    #expect(driver.screen.contains("Đã khôi phục"))
    #expect(!driver.screen.contains("⌫"))
  }
}

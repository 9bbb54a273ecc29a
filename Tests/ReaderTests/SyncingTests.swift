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

/// What the reader shows of sync, and asks of it.
@Suite struct SyncingTests {
  private func story(_ size: Size = .medium) throws -> Story {
    try Story(size, opening: AyahID("2:255"))
  }

  private func lastRow(_ story: Story) -> Substring {
    story.screen.split(separator: "\n").last ?? ""
  }

  // MARK: The corner

  @Test func nothingIsShownWithoutAConnection() throws {
    var story = try story()
    let before = story.screen
    story.sync(SyncStatus())
    #expect(story.screen == before)
  }

  @Test(arguments: [
    (SyncStatus.unreachable, "↑3"), (.working, "⟳ ↑8800"), (.refused, "! 1 chưa gửi được"),
    (.expired, "! đăng nhập lại"), (.asking, "! xóa nhiều?"),
    (.restored, "! khôi phục?"), (.answered, "! mất mạng"),
  ])
  func cornerShowsTheStatus(_ status: SyncStatus, _ corner: String) throws {
    var story = try story()
    story.sync(.done)
    story.sync(status)
    #expect(lastRow(story).hasSuffix(corner), "\(story.screen)")
  }

  @Test func pendingChangesOfAnotherProcessAreCounted() throws {
    var story = try story()
    var status = SyncStatus.done
    status.isSyncedByOtherProcess = true
    story.sync(status)
    #expect(lastRow(story).contains("✓"))
    status.outbox = OutboxSummary(count: 1, otherThanProgress: 1, generations: 1)
    story.sync(status)
    #expect(lastRow(story).hasSuffix("↑1"), "\(story.screen)")
  }

  @Test func failureOfAnotherProcessIsShown() throws {
    var story = try story()
    var status = SyncStatus.done
    status.isSyncedByOtherProcess = true
    status.account?.failure = .unreachable(network: "connectionRefused")
    story.sync(status)
    story.press("S")
    #expect(story.screen.contains("Không đến được dịch vụ (kết nối bị từ chối)"))
  }

  /// The round went well, and what waits was refused all the same.
  @Test func quotaExceededIsShown() throws {
    var story = try story()
    story.sync(.full)
    #expect(lastRow(story).hasSuffix("↑2"), "\(story.screen)")
    story.press("S")
    #expect(story.screen.contains("Tài khoản trên dịch vụ đã đầy"), "\(story.screen)")
    story.press("q")
    story.press("s")
    var status = SyncStatus.full
    status.attempts += 1
    story.sync(status)
    #expect(story.screen.contains("Tài khoản trên dịch vụ đã đầy"), "\(story.screen)")
  }

  @Test func lastSyncTimeIsShownOfflineIfNothingWaits() throws {
    var story = try story()
    story.sync(.done)
    let corner = lastRow(story)
    story.sync(.failing(.call(.unreachable(.connectionRefused))))
    #expect(lastRow(story) == corner)
    #expect(corner.contains("✓ "))
  }

  @Test func messagesAndPromptsKeepTheCorner() throws {
    var story = try story(.small)
    story.sync(.refused)
    for keys in ["f", "g2:2", "<Esc>:go", "<Esc>?", "<Esc>S"] {
      story.press(keys)
      #expect(lastRow(story).hasSuffix("! 1 chưa gửi được"), "\(keys)\n\(story.screen)")
    }
  }

  // MARK: What is said

  @Test func issueForTheUserIsReportedOnce() throws {
    var story = try story()
    story.sync(.expired)
    #expect(story.screen.contains("Phiên đăng nhập"))
    story.press("jk")
    #expect(!story.screen.contains("Phiên đăng nhập"))
    story.sync(.expired)
    #expect(!story.screen.contains("Phiên đăng nhập"))
    story.sync(.done)
    story.sync(.expired)
    #expect(story.screen.contains("Phiên đăng nhập"))
  }

  @Test func issuesAreNotReportedWhileTyping() throws {
    var story = try story()
    story.press("nviết dở")
    story.sync(.expired)
    #expect(!story.screen.contains("Phiên đăng nhập"))
    #expect(story.screen.contains("viết dở"))
  }

  @Test func transientIssuesAreNotReported() throws {
    var story = try story()
    story.sync(.unreachable)
    #expect(!story.screen.contains("kết nối bị từ chối"))
  }

  // MARK: Asking

  @Test func outcomeOfARequestedSyncIsReported() throws {
    var story = try story()
    story.sync(.done)
    story.press("s")
    #expect(story.effects == [.sync(.now)])
    #expect(story.screen.contains("Đang đồng bộ …"))
    var status = SyncStatus.unreachable
    story.sync(status)
    #expect(story.screen.contains("kết nối bị từ chối"))
    story.press("s")
    status.attempts += 1
    story.sync(status)
    #expect(story.screen.contains("kết nối bị từ chối"))
    story.press("s")
    status = .done
    status.attempts = 9
    story.sync(status)
    #expect(story.screen.contains("Đã đồng bộ lúc"))
  }

  @Test func syncWithoutAConnectionExplainsHowToConnect() throws {
    var story = try story()
    story.press("s")
    #expect(story.effects.isEmpty)
    #expect(story.screen.contains("quran-vi sync connect URL"))
  }

  @Test func massDeletionNeedsTwoConfirmations() throws {
    var story = try story()
    story.sync(.asking)
    story.press("SDk")
    #expect(story.effects.isEmpty)
    story.press("Dc")
    #expect(story.effects == [.sync(.answer(.accept(SyncStatus.question)))])
  }

  /// What was asked about is agreed to, not what has become of it meanwhile.
  @Test func acceptedDeletionsAreThoseOfTheQuestion() throws {
    var story = try story()
    story.sync(.asking)
    story.press("SD")
    story.sync(
      .failing(.massDeletion(MassDeletion(counts: [.note: 500], isProfileGone: true))))
    story.press("c")
    #expect(story.effects == [.sync(.answer(.accept(SyncStatus.question)))])
  }

  @Test func massDeletionCanBeRejected() throws {
    var story = try story()
    story.sync(.asking)
    story.press("SK")
    #expect(story.effects == [.sync(.answer(.keepEverything))])
  }

  @Test(arguments: [
    ("R", SyncAccount.Restoration.keepRestored), ("V", .keepService),
  ])
  func restorationQuestionIsAnswered(
    _ key: String, _ answer: SyncAccount.Restoration
  ) throws {
    var story = try story()
    story.sync(.restored)
    story.press("S")
    #expect(story.screen.contains("\(key)  "), "\(story.screen)")
    story.press(key)
    #expect(story.screen.contains("c có · k không"))
    story.press("k")
    #expect(story.effects.isEmpty)
    story.press(key + "c")
    #expect(story.effects == [.sync(.answerRestored(answer))])
  }

  @Test func pendingRestorationAnswerIsShown() throws {
    var story = try story()
    story.sync(.answered)
    story.press("S")
    #expect(story.screen.contains("Lần đồng bộ sau sẽ lấy bản trên dịch vụ."), "\(story.screen)")
    #expect(story.screen.contains("(từ 2026-11-22"), "\(story.screen)")
  }

  @Test func answerKeysNeedAQuestion() throws {
    var story = try story()
    story.sync(.done)
    story.press("SDK")
    #expect(story.effects.isEmpty)
  }

  @Test func parkedChangesAreRetried() throws {
    var story = try story()
    story.sync(.refused)
    story.press("S")
    #expect(story.screen.contains("1200000 byte là quá lớn"))
    story.press("r")
    #expect(story.effects == [.sync(.retryParked)])
    story.sync(.done)
    story.press("r")
    #expect(story.effects == [.sync(.retryParked)])
  }

  // MARK: The trash

  @Test func noteIsRestoredFromTheTrash() throws {
    let note = Note(
      id: UUID(), ayah: AyahID("3:8")!, text: try NoteText("Điều đã xóa"), createdAt: 1,
      modifiedAt: 2)
    var story = try Story(.medium) { library, now in
      try library.sync { try $0.addToTrash(note, at: now) }
    }
    story.press("4")
    #expect(story.screen.contains("⌫ Điều đã xóa"))
    story.press("d")
    #expect(story.screen.contains("Máy khác đã xóa ghi chú này"))
    story.press("<Enter>k")
    #expect(try story.library.noteList().isEmpty)
    story.press("<Enter>c")
    #expect(try story.library.note(note.id)?.text == note.text)
    #expect(try story.library.trash().isEmpty)
    #expect(story.screen.contains("Đã khôi phục"))
    #expect(!story.screen.contains("⌫"))
  }
}

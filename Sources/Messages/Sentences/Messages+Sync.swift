// Sync.
extension Messages {
  // MARK: Many deletions

  public var syncDeletionChoice: String {
    pick(
      "Xóa cả ở đây bằng: quran-vi sync now --accept-deletions; giữ tất cả và gửi lại bằng: "
        + "quran-vi sync now --keep",
      "To delete it here, too: quran-vi sync now --accept-deletions; to keep everything and send "
        + "it again: quran-vi sync now --keep")
  }

  // MARK: A restored earlier state

  public var syncRestored: String {
    pick(
      "Thư viện này đã được đưa về một bản cũ: hãy chọn giữ bản này hay bản trên dịch vụ. Cho đến "
        + "khi chọn, không gửi hay nhận gì.",
      "This library was restored to an earlier state. Choose which to keep: this library or the "
        + "data on the service. Nothing is sent or fetched until then.")
  }
  public var syncRestoredChoice: String {
    pick(
      "Giữ bản này và gửi những gì khác đi: quran-vi sync now --keep-restored; lấy bản trên dịch "
        + "vụ: quran-vi sync now --keep-service",
      "To keep it and send what differs: quran-vi sync now --keep-restored; to take what the "
        + "service holds: quran-vi sync now --keep-service")
  }
  /// - Parameters:
  ///   - keepRestored: The name of the key that keeps the restored library.
  ///   - keepService: The name of the key that keeps what the service has.
  public func syncRestoredKeys(keepRestored: String, keepService: String) -> [String] {
    [
      pick(
        "\(keepRestored)  giữ bản này và gửi những gì khác đi (ghi chú bị thay vào thùng rác 90 ngày)",
        "\(keepRestored)  keep it and send what differs (replaced notes go to the trash for 90 days)"
      ),
      pick(
        "\(keepService)  lấy bản trên dịch vụ (ghi chú chưa gửi vào thùng rác 90 ngày)",
        "\(keepService)  take what the service holds (unsent notes go to the trash for 90 days)"),
    ]
  }
  public var askRestored: String {
    pick(
      "Thư viện này đồng bộ với một dịch vụ. 1: giữ bản vừa khôi phục, 2: lấy bản trên dịch vụ, "
        + "Enter: để sau. [1/2]",
      "This library is synced with a service. 1: keep what was restored, 2: take what the service "
        + "holds, Enter: later. [1/2]")
  }
  public func syncRestorationAnswered(keepsRestored: Bool) -> String {
    keepsRestored
      ? pick(
        "Lần đồng bộ sau sẽ gửi bản vừa khôi phục.",
        "The next sync sends what was restored.")
      : pick(
        "Lần đồng bộ sau sẽ lấy bản trên dịch vụ.",
        "The next sync takes what the service holds.")
  }

  // MARK: Connecting

  public var syncAskToken: String { pick("Mã API: ", "API token: ") }
  public var syncTokenNeeded: String {
    pick(
      "Cần mã API: gõ khi được hỏi, hoặc đưa qua đầu vào chuẩn.",
      "An API token is needed: type it when asked, or give it by standard input.")
  }
  public func syncConnected(_ origin: String) -> String {
    pick("Đã kết nối với \(origin).", "Connected to \(origin).")
  }
  public func syncOpenPage(_ url: String) -> String {
    pick(
      "Mở trang này để đăng nhập:\n\(url)", "Open this page to sign in:\n\(url)")
  }
  public var syncWaitingForPage: String {
    pick(
      "Đang chờ trình duyệt của máy này (Ctrl-c để dừng); từ máy khác thì dùng --paste.",
      "Waiting for this machine's browser (Ctrl-c ends it); on another machine use --paste.")
  }
  public var syncAskCode: String { pick("Dán mã đăng nhập: ", "Paste the sign-in code: ") }
  public var syncNoCode: String {
    pick("Không có mã đăng nhập trong đó.", "There is no sign-in code in that.")
  }
  public func syncSignInFailed(_ reason: String) -> String {
    pick("Chưa đăng nhập được: \(reason).", "Not signed in: \(reason).")
  }
  /// The title of the page that the browser shows after the sign-in.
  public var syncPageTitle: String { pick("Đã đăng nhập", "Signed in") }
  public var syncPageSentence: String {
    pick(
      "Bạn có thể đóng trang này và trở lại Quran-vi.", "Close this page and go back to Quran-vi.")
  }
  public func syncAskAccount(_ name: String) -> String {
    pick(
      "Đồng bộ thư viện này với tài khoản “\(name)”?",
      "Sync this library with the account “\(name)”?")
  }
  /// - Parameters:
  ///   - name: The name of the account.
  ///   - previous: The previous address of the service.
  ///   - origin: The new address, which claims to be the same service.
  public func syncAskMoved(_ name: String, from previous: String, to origin: String) -> String {
    pick(
      "Tài khoản “\(name)” trước đây ở \(previous); \(origin) nói rằng đó là cùng một dịch vụ. Đồng "
        + "bộ thư viện này ở \(origin)?",
      "The account “\(name)” was at \(previous); \(origin) says that it is the same service. Sync "
        + "this library at \(origin)?")
  }
  public func syncAskMerge(_ previous: String, _ name: String) -> String {
    pick(
      "Thư viện này thuộc về “\(previous)”. Gộp nó vào tài khoản “\(name)”? Để giữ riêng, dùng "
        + "--library với tệp khác.",
      "This library belongs to “\(previous)”. Merge it into the account “\(name)”? To keep them "
        + "apart, use --library with another file.")
  }
  public func syncNeedsMerge(_ previous: String) -> String {
    pick(
      "Thư viện này thuộc về “\(previous)”; không có gì thay đổi. Để gộp, thêm --merge; để giữ riêng, "
        + "dùng --library với tệp khác.",
      "This library belongs to “\(previous)”; nothing was changed. Add --merge to merge the two, or "
        + "use --library with another file to keep them apart.")
  }
  public var syncNeedsYes: String {
    pick(
      "Không hỏi được vì đầu vào không phải terminal; thêm --yes để đồng ý.",
      "The input is not a terminal, so nothing can be asked; add --yes to agree.")
  }
  public func syncSignedIn(_ name: String) -> String {
    pick("Đã đăng nhập với tài khoản “\(name)”.", "Signed in as “\(name)”.")
  }

  /// Says that the service rejected the code that the user pasted from the sign-in page.
  public var syncWrongCode: String {
    pick(
      "Mã đăng nhập sai hoặc đã hết hạn; lấy mã mới bằng: quran-vi sync login --paste",
      "The sign-in code is wrong or too old; get another one with: quran-vi sync login --paste")
  }
  public func syncNoServiceThere(_ origin: String, _ reason: String) -> String {
    pick(
      "Không đến được dịch vụ ở \(origin) (\(reason)); chưa kết nối. Kiểm tra địa chỉ và mạng rồi "
        + "thử lại.",
      "The service at \(origin) cannot be reached (\(reason)); not connected. Check the address "
        + "and the network, then try again.")
  }

  // MARK: Status

  public var syncSignedInState: String { pick("Đã đăng nhập.", "Signed in.") }
  public var syncReachable: String {
    pick("Lần thử gần nhất: đến được dịch vụ.", "Last attempt: the service was reachable.")
  }
  /// Returns the time since which sync fails, in parentheses, to append to a sentence.
  public func syncSince(_ time: String) -> String {
    pick(" (từ \(time))", " (since \(time))")
  }
  public func syncNotAllSent(_ count: Int) -> String {
    pick(
      "Chưa gửi được hết: còn \(count) thay đổi.",
      count == 1
        ? "Not all was sent: 1 change is left." : "Not all was sent: \(count) changes are left.")
  }
  public func syncDone(sent: Int, received: Int, deleted: Int) -> String {
    pick(
      "Đã đồng bộ: gửi \(sent), nhận \(received), xóa \(deleted).",
      "Synced: \(sent) sent, \(received) received, \(deleted) deleted.")
  }
  public func syncTrashed(_ count: Int) -> String {
    pick(
      "\(count) ghi chú bị thay thế đang ở trong thùng rác: quran-vi note restore",
      count == 1
        ? "1 replaced note is in the trash: quran-vi note restore"
        : "\(count) replaced notes are in the trash: quran-vi note restore")
  }
  public func syncService(_ origin: String) -> String {
    pick("Dịch vụ: \(origin)", "Service: \(origin)")
  }
  public func syncAccount(_ name: String) -> String {
    pick("Tài khoản: \(name)", "Account: \(name)")
  }
  public var syncSignedOutState: String {
    pick(
      "Đã đăng xuất; đăng nhập bằng: quran-vi sync login",
      "Signed out; sign in with: quran-vi sync login")
  }
  public func syncLast(_ time: String?) -> String {
    pick("Đồng bộ lần cuối: \(time ?? "chưa có")", "Last sync: \(time ?? "never")")
  }
  public func syncPending(_ count: Int) -> String {
    pick("Đang chờ gửi: \(count)", "Waiting to be sent: \(count)")
  }
  public func syncParked(_ thing: String, _ reason: String) -> String {
    pick("! \(thing) không gửi được: \(reason)", "! \(thing) cannot be sent: \(reason)")
  }
  public func syncUnreadable(_ count: Int) -> String {
    pick(
      "Bản ghi không đọc được trên dịch vụ: \(count) (để nguyên như vậy)",
      "Records on the service that cannot be read: \(count) (left as they are)")
  }
  /// - Parameter unsent: The number of changes that the service does not have.
  public func syncSignedOut(unsent: Int) -> String {
    let sentence = pick(
      "Đã đăng xuất; dữ liệu vẫn ở máy này.", "Signed out; your data stays on this device.")
    guard unsent > 0 else { return sentence }
    return sentence + " "
      + pick(
        "\(unsent) thay đổi chưa gửi được giữ ở đây, và gửi đi khi đăng nhập lại.",
        unsent == 1
          ? "1 change was not sent; it is kept here and sent after you sign in again."
          : "\(unsent) changes were not sent; they are kept here and sent after you sign in again.")
  }
  public func syncAskDelete(_ name: String) -> String {
    pick(
      "Xóa mọi thứ của “\(name)” khỏi dịch vụ? Dữ liệu ở máy này được giữ lại.",
      "Delete everything of “\(name)” from the service? This device keeps its data.")
  }
  public var syncDeletionUnfinished: String {
    pick(
      "Chưa xóa xong tài khoản; chạy lại: quran-vi sync delete-account",
      "The account is not completely deleted; run again: quran-vi sync delete-account")
  }
  public func syncDeleted(_ count: Int) -> String {
    pick(
      "Đã xóa \(count) bản ghi khỏi dịch vụ; dữ liệu vẫn ở máy này.",
      "Deleted \(count == 1 ? "1 record" : "\(count) records") from the service; your data stays on "
        + "this device.")
  }

  // MARK: In the full-screen reader

  public var syncTitle: String { pick("Đồng bộ", "Sync") }
  public var syncing: String { pick("Đang đồng bộ …", "Syncing …") }
  public func syncedAt(_ time: String) -> String {
    pick("Đã đồng bộ lúc \(time).", "Synced at \(time).")
  }
  public func syncLeaving(_ interrupt: String) -> String {
    pick(
      "Đang gửi thay đổi … (\(interrupt): để lần sau)",
      "Sending changes … (\(interrupt): next time)")
  }
  public var syncRetryHint: String { pick("thử lại", "retry") }
  public func syncAnswerHere(_ key: String) -> String {
    pick("Nhấn \(key) để chọn.", "Press \(key) to choose.")
  }
  /// - Parameters:
  ///   - accept: The name of the key that accepts the deletions.
  ///   - keep: The name of the key that keeps everything.
  public func syncDeletionKeys(accept: String, keep: String) -> [String] {
    [
      pick(
        "\(accept)  xóa cả ở đây (ghi chú vào thùng rác 90 ngày)",
        "\(accept)  delete it here, too (notes go to the trash for 90 days)"),
      pick("\(keep)  giữ tất cả và gửi lại", "\(keep)  keep everything and send it again"),
    ]
  }
  public var askAcceptDeletions: String {
    pick("Xóa cả ở máy này?", "Delete it all on this device, too?")
  }
  public var askKeepRestored: String {
    pick("Dùng bản được khôi phục ở mọi máy?", "Use the restored library on every device?")
  }
  public var askKeepService: String {
    pick("Dùng bản trên dịch vụ ở máy này?", "Use what the service holds on this device?")
  }
  public func syncParkedTitle(_ count: Int) -> String {
    pick("Không gửi được: \(count)", "Cannot be sent: \(count)")
  }
  /// Shown in the corner of the screen, which has room for one or two words.
  public var syncCornerOffline: String { pick("mất mạng", "offline") }
  public var syncCornerCredentials: String { pick("mã đăng nhập", "credentials") }
  public var syncCornerSignIn: String { pick("đăng nhập lại", "sign in") }
  public var syncCornerRefused: String { pick("bị từ chối", "refused") }
  public func syncCornerParked(_ count: Int) -> String {
    pick("\(count) chưa gửi được", "\(count) not sent")
  }
  public var actSync: String { pick("đồng bộ ngay", "sync now") }
  public var actSyncScreen: String {
    pick("màn hình đồng bộ: những gì đang chờ", "sync screen: pending changes")
  }
  public var hintRestore: String { pick("đem về", "restore") }
  public func noteIsInTrash(_ key: String) -> String {
    pick(
      "Ghi chú này ở trong thùng rác; nhấn \(key) để khôi phục.",
      "This note is in the trash; \(key) restores it.")
  }
  public func askRestoreNote(_ ayah: String) -> String {
    pick("Khôi phục ghi chú \(ayah)?", "Restore the note of \(ayah)?")
  }
  public func restored(_ what: String) -> String {
    pick("Đã khôi phục: \(what).", "Restored: \(what).")
  }
  public var noteIsThereAlready: String {
    pick("Ghi chú ấy đã có ở đây.", "That note is here already.")
  }

  // MARK: Help

  public var helpSync: String {
    pick("Đồng bộ thư viện giữa các máy.", "Sync the library between devices.")
  }
  public var helpSyncConnect: String {
    pick("Kết nối với một dịch vụ rồi đăng nhập.", "Connect to a service, then sign in.")
  }
  public var helpSyncURL: String {
    pick("Địa chỉ của dịch vụ: https://MÁY.", "Address of the service: https://HOST.")
  }
  public var helpSyncContainer: String {
    pick("Container của dịch vụ.", "Container of the service.")
  }
  public var helpSyncDevelopment: String {
    pick(
      "Dùng môi trường phát triển của container.", "Use the container's development environment.")
  }
  public var helpSyncLogin: String { pick("Đăng nhập.", "Sign in.") }
  public var helpSyncPaste: String {
    pick("Dán mã thay vì chờ trình duyệt.", "Paste a code instead of waiting for the browser.")
  }
  public var helpSyncMerge: String {
    pick(
      "Gộp thư viện của tài khoản khác vào tài khoản này.",
      "Merge a library that belongs to another account into this one.")
  }
  public var helpSyncStatus: String {
    pick(
      "Tình trạng đồng bộ, và những gì đang chờ.",
      "Show the state of sync and the pending changes.")
  }
  public var helpSyncNow: String { pick("Đồng bộ ngay.", "Sync now.") }
  public var helpSyncAccept: String {
    pick("Chấp nhận việc xóa nhiều từ máy khác.", "Accept many deletions of other devices.")
  }
  public var helpSyncKeep: String {
    pick("Giữ tất cả ở đây và gửi lại.", "Keep everything here and send it again.")
  }
  public var helpKeepRestored: String {
    pick(
      "Sau khi khôi phục: giữ bản khôi phục, gửi những gì khác đi.",
      "After restoring: keep the restored state and send what differs.")
  }
  public var helpKeepService: String {
    pick(
      "Sau khi khôi phục: lấy bản trên dịch vụ.",
      "After restoring: take what the service holds.")
  }
  public var helpSyncRetry: String {
    pick("Thử lại những gì không gửi được.", "Try again what could not be sent.")
  }
  public var helpSyncLogout: String { pick("Đăng xuất.", "Sign out.") }
  public var helpSyncDeleteAccount: String {
    pick("Xóa mọi bản ghi của bạn khỏi dịch vụ.", "Delete all your records from the service.")
  }
}

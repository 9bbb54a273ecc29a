// The reasons why a library is not synced.
extension Messages {
  // MARK: Failures of a round

  public var syncNotConnected: String {
    pick(
      "Chưa kết nối với dịch vụ nào; kết nối bằng: quran-vi sync connect URL",
      "Not connected to a service; connect with: quran-vi sync connect URL")
  }
  public var syncUnconfirmed: String {
    pick(
      "Chưa xác nhận tài khoản; đăng nhập bằng: quran-vi sync login",
      "The account is not confirmed; sign in with: quran-vi sync login")
  }
  public var syncHistoryForked: String {
    pick(
      "Dịch vụ đã được khôi phục về dữ liệu cũ; thư viện sẽ được so lại toàn bộ ở lần đồng bộ tới",
      "The service's data went back to an earlier time; the library is compared with all of it "
        + "at the next sync")
  }
  public var syncOtherAccount: String {
    pick(
      "Người đăng nhập không phải chủ của thư viện này; đăng nhập lại bằng: quran-vi sync login",
      "The signed-in account is not the one this library belongs to; sign in again with: "
        + "quran-vi sync login")
  }
  public var syncSignInAgain: String {
    pick(
      "Phiên đăng nhập đã hết hạn, không mất gì; đăng nhập lại bằng: quran-vi sync login",
      "The sign-in is over and nothing is lost; sign in again with: quran-vi sync login")
  }
  public var syncTokenRefused: String {
    pick(
      "Dịch vụ không nhận mã API; hỏi người quản lý mã mới rồi chạy: quran-vi sync connect URL",
      "The service does not take the API token; ask its operator for one, then: "
        + "quran-vi sync connect URL")
  }
  public func syncAccessDenied(_ detail: String) -> String {
    pick(
      "Dịch vụ không cho phép (\(detail)); nhờ người quản lý kiểm tra quyền trong schema của "
        + "container.",
      "The service does not allow it (\(detail)); ask the operator to check the permissions in the "
        + "container's schema.")
  }
  public var syncAccountFull: String {
    pick(
      "Tài khoản trên dịch vụ đã đầy; dữ liệu ở máy này vẫn nguyên, mỗi giờ sẽ thử lại.",
      "The account on the service is full; all is safe on this device, and tried again each hour.")
  }
  public func syncServiceBusy(_ detail: String) -> String {
    pick(
      "Dịch vụ đang bận (\(detail)); sẽ tự thử lại sau.",
      "The service is busy (\(detail)); it is tried again by itself.")
  }
  public func syncContainerMissing(_ detail: String) -> String {
    pick(
      "Dịch vụ không có container này (\(detail)); kiểm tra địa chỉ và tên container.",
      "The service does not have this container (\(detail)); check the address and its name.")
  }
  public func syncSchemaMissing(_ detail: String) -> String {
    pick(
      "Dịch vụ không hiểu yêu cầu (\(detail)); người quản lý cần triển khai schema mới nhất của "
        + "container, sau đó chạy: quran-vi sync now --retry",
      "The service does not understand the request (\(detail)); its operator has to deploy the "
        + "container's newest schema, then: quran-vi sync now --retry")
  }
  public func syncRecordNotCreated(_ detail: String) -> String {
    pick(
      "Dịch vụ chưa có chỗ cho loại bản ghi này\(detail); người quản lý cần triển khai schema của "
        + "container, sau đó chạy: quran-vi sync now",
      "The service has no place for records of this type\(detail); its operator has to deploy the "
        + "container's schema, then: quran-vi sync now")
  }
  public func syncTokenOfFeedExpired(_ detail: String) -> String {
    pick(
      "Dịch vụ không còn nhớ thiết bị này đã đọc đến đâu (\(detail)); không mất gì, chạy "
        + "quran-vi sync now để đọc lại từ đầu; nếu vẫn vậy, báo người quản lý dịch vụ.",
      "The service no longer knows how far this device has read (\(detail)); nothing is lost: run "
        + "quran-vi sync now to read from the beginning; if that does not help, tell its operator.")
  }
  public func syncConflict(_ detail: String) -> String {
    pick(
      "Thiết bị khác đã sửa cùng một mục (\(detail)); lần đồng bộ tới sẽ gộp hai bản. Chạy: "
        + "quran-vi sync now",
      "Another device changed the same entry (\(detail)); the next sync merges both. Run: "
        + "quran-vi sync now")
  }
  public func syncTooMuch(_ detail: String) -> String {
    pick(
      "Dịch vụ thấy như vậy là quá nhiều hoặc quá lớn (\(detail)); rút ngắn ghi chú, hoặc nhờ "
        + "người quản lý tăng giới hạn, rồi chạy: quran-vi sync now --retry",
      "That is too much or too large for the service (\(detail)); make the note shorter, or ask "
        + "its operator for a higher limit, then: quran-vi sync now --retry")
  }
  public func syncBatchFailed(_ detail: String) -> String {
    pick(
      "Dịch vụ từ chối cả loạt vì một bản ghi khác trong đó (\(detail)); thử lại bằng: "
        + "quran-vi sync now --retry",
      "The service refused a whole batch because of another record in it (\(detail)); try again "
        + "with: quran-vi sync now --retry")
  }
  public func syncRuleBroken(_ detail: String) -> String {
    pick(
      "Bản ghi trái với một quy tắc của dịch vụ (\(detail)); sửa nội dung rồi lưu lại, hoặc hỏi "
        + "người quản lý dịch vụ.",
      "The record breaks a rule of the service (\(detail)); change and save it again, or ask the "
        + "service's operator.")
  }
  public func syncRefused(_ detail: String) -> String {
    pick(
      "Dịch vụ từ chối (\(detail)); thử lại bằng quran-vi sync now --retry, nếu vẫn vậy thì báo "
        + "người quản lý dịch vụ.",
      "The service refused (\(detail)); try again with quran-vi sync now --retry, and if that does "
        + "not help tell its operator.")
  }
  public func syncEndlessPages(_ count: Int) -> String {
    pick(
      "Dịch vụ gửi \(count) trang liền không có gì mới và vẫn báo còn nữa; sẽ tự thử lại, nếu vẫn "
        + "vậy thì báo người quản lý dịch vụ.",
      "The service sent \(count) pages in a row with nothing new and still says there are more; it "
        + "is tried again by itself, and if that does not help tell its operator.")
  }
  public func syncUnfinishedPages(_ count: Int) -> String {
    pick(
      "Đã đọc \(count) trang của dịch vụ mà chưa hết; lần đồng bộ tới sẽ đọc tiếp.",
      "\(count) pages of the service were read and there are more; the next sync goes on.")
  }
  public func syncRecordTooLarge(_ bytes: Int, _ limit: Int) -> String {
    pick(
      "\(bytes) byte là quá lớn cho một bản ghi (tối đa \(limit)); rút ngắn ghi chú rồi lưu lại.",
      "\(bytes) bytes are too large for a record (at most \(limit)); make the note shorter and "
        + "save it again.")
  }
  public var syncRecordUnreadable: String {
    pick(
      "Bản ghi cùng tên trên dịch vụ không đọc được nên không bị ghi đè; xóa nó ở dịch vụ rồi chạy: "
        + "quran-vi sync now --retry",
      "The record of that name on the service cannot be read and is not overwritten; delete it "
        + "there, then: quran-vi sync now --retry")
  }
  public var syncUnknownProblem: String {
    pick(
      "Chưa gửi được; thử lại bằng: quran-vi sync now --retry",
      "It was not sent; try again with: quran-vi sync now --retry")
  }
  public func syncTriedAgain(_ time: String) -> String {
    pick("Sẽ thử lại lúc \(time).", "Next attempt at \(time).")
  }
  public func syncUnreachable(_ reason: String) -> String {
    pick(
      "Không đến được dịch vụ (\(reason)); thay đổi được giữ lại để gửi sau.",
      "The service cannot be reached (\(reason)); changes are kept to be sent later.")
  }
  public func syncAnswerLost(_ reason: String) -> String {
    pick(
      "Dịch vụ chưa trả lời (\(reason)); sẽ thử lại.",
      "The service did not answer (\(reason)); it is tried again.")
  }
  public func syncUnexpectedAnswer(_ reason: String) -> String {
    pick(
      "Câu trả lời không phải của dịch vụ (\(reason)); kiểm tra địa chỉ, proxy và mạng.",
      "The answer did not come from a record service (\(reason)); check the address, the proxy and "
        + "the network.")
  }
  public func syncUntrustedURL(_ reason: String) -> String {
    pick(
      "Dịch vụ đưa ra một địa chỉ không an toàn (\(reason)).",
      "The service named an address that is not safe (\(reason)).")
  }
  public var syncTokenUnreadable: String {
    pick(
      "Không đọc được mã đăng nhập đã lưu.", "The stored sign-in token cannot be read.")
  }
  public var syncTokenNotStored: String {
    pick(
      "Không lưu được mã đăng nhập mới; kiểm tra đĩa và quyền của tệp.",
      "The new sign-in token cannot be stored; check the disk and the file's permissions.")
  }

  // Problems of a response, for use in parentheses.

  var answerNotHTTP: String { pick("không phải HTTP", "not HTTP") }
  var answerIsRedirect: String {
    pick("chuyển hướng, không đi theo", "a redirect, which is not followed")
  }
  var answerTooLarge: String { pick("quá lớn", "too large") }
  var answerUnreadable: String {
    pick("không đúng dạng JSON của dịch vụ", "no JSON of such a service")
  }
  var answerHasNoError: String {
    pick("một lỗi không có mô tả", "an error without a description")
  }
  var answerHasWrongCount: String {
    pick("sai số bản ghi", "another number of records than expected")
  }
  var answerHasNoZone: String { pick("thiếu vùng dữ liệu", "without the zone") }
  var answerHasEndlessFeed: String {
    pick("danh sách thay đổi không tiến lên", "a list of changes that does not go on")
  }
  var answerHasNoUserName: String { pick("tài khoản không có tên", "an account without a name") }
  public var syncCancelled: String { pick("Đã dừng.", "Stopped.") }
  public var syncElsewhere: String {
    pick(
      "Một tiến trình khác đang đồng bộ thư viện này.",
      "Another process is syncing this library.")
  }
  public func syncBadAddress(_ problem: String) -> String {
    pick("Địa chỉ \(problem).", "The address \(problem).")
  }
  public var syncAddressHasCharacters: String {
    pick("có ký tự không được phép", "has characters that no address has")
  }
  public var syncAddressIsNotSecure: String {
    pick("phải bắt đầu bằng https://", "must begin with https://")
  }
  public var syncAddressHasPassword: String {
    pick(
      "không được chứa tên hay mật khẩu", "must not have a user name or password in it")
  }
  public var syncAddressHasNoHost: String {
    pick("không có tên máy hợp lệ", "has no valid host")
  }
  public var syncAddressHasNoPort: String {
    pick("không có cổng hợp lệ", "has no valid port")
  }
  public var syncAddressHasPath: String {
    pick("phải kết thúc sau tên máy và cổng", "must end after the host and port")
  }
  public func syncBadContainer(_ name: String) -> String {
    pick(
      "“\(name)” không phải tên container; tên bắt đầu bằng “iCloud.”.",
      "“\(name)” is the name of no container; they begin with “iCloud.”.")
  }
  public func syncBadAuthorities(_ variable: String, _ path: String) -> String {
    pick(
      "Biến môi trường \(variable) chỉ tới \(path), không đọc được như các chứng chỉ dạng PEM.",
      "The environment variable \(variable) names \(path), which cannot be read as certificates in "
        + "PEM form.")
  }
  public func syncCredentialsExposed(_ path: String) -> String {
    pick(
      "Người khác có thể đọc \(path); chạy chmod 600 với tệp đó, rồi: quran-vi sync login",
      "Others may read \(path); run chmod 600 on it, then: quran-vi sync login")
  }
  public func syncCredentialsDamaged(_ path: String) -> String {
    pick(
      "Tệp \(path) bị hỏng; xóa nó rồi chạy: quran-vi sync connect URL",
      "The file \(path) is damaged; remove it, then: quran-vi sync connect URL")
  }

  // MARK: Network problems

  public var networkLibraryMissing: String {
    pick(
      "thiếu libcurl; trên Debian: sudo apt-get install libcurl4",
      "libcurl is missing; on Debian: sudo apt-get install libcurl4")
  }
  public var networkAddressUnusable: String {
    pick("không dùng được địa chỉ", "the address cannot be used")
  }
  public var networkNameUnknown: String {
    pick("không tìm thấy tên máy", "host name not found")
  }
  public var networkMissing: String { pick("không có mạng", "no network") }
  public var networkNoConnection: String { pick("không nối được", "no connection") }
  public var networkRefused: String { pick("kết nối bị từ chối", "connection refused") }
  public var networkCut: String { pick("kết nối bị ngắt", "the connection was cut") }
  public var networkSlow: String { pick("quá lâu", "it took too long") }
  public var networkProxyUnknown: String {
    pick("không tìm thấy proxy", "proxy not found")
  }
  public var networkProxyPassword: String {
    pick("proxy đòi mật khẩu", "the proxy asks for a password")
  }
  public var networkProxyRefused: String { pick("proxy từ chối", "the proxy refused") }
  public var networkTLS: String { pick("TLS không thành", "TLS failed") }
  public var networkTLSSlow: String { pick("TLS quá lâu", "TLS takes too long") }
  public var networkCertificate: String {
    pick("TLS: chứng chỉ không đáng tin", "TLS: the certificate is not trusted")
  }
  public var networkCertificateName: String {
    pick("TLS: chứng chỉ của tên khác", "TLS: the certificate is for another name")
  }
}

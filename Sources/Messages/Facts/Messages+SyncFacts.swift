public import CloudRecords
public import Library
public import RecordClient
public import Sync
import Text

// The sentences for the reasons why a library is not synced.
extension Messages {
  /// Explains why a sync round failed.
  public func explain(_ failure: SyncFailure) -> String {
    switch failure {
    case .signedOut: syncNotConnected
    case .unconfirmed: syncUnconfirmed
    case .call(let failure): explain(failure)
    case .library(let failure): explain(failure)
    case .massDeletion(let question): explain(question)
    case .restored: syncRestored
    case .historyForked: explain(SyncProblem.historyForked)
    case .endlessPages(let count): explain(SyncProblem.endlessPages(count: count))
    case .unfinishedPages(let count): explain(SyncProblem.unfinishedPages(count: count))
    case .storageLimitReached(let records, let bytes):
      explain(SyncProblem.storageLimitReached(records: records, bytes: bytes))
    }
  }

  /// Explains the stored reason why a round or a change failed.
  public func explain(_ problem: SyncProblem) -> String {
    func network(_ name: String) -> String {
      NetworkProblem(rawValue: name).map(explain) ?? name
    }
    return switch problem {
    case .service(let code, let reason):
      explain(ServiceError(ErrorCode(rawValue: code), reason: reason))
    case .recordNotCreated(let reason):
      pick(
        "Dịch vụ chưa có chỗ cho loại bản ghi này\(detail(reason)); người quản lý cần triển khai "
          + "schema của container, sau đó chạy: quran-vi sync now",
        "The service has no place for records of this type\(detail(reason)); its operator has to "
          + "deploy the container's schema, then: quran-vi sync now")
    case .unreachable(let name):
      pick(
        "Không đến được dịch vụ (\(network(name))); thay đổi được giữ lại để gửi sau.",
        "The service cannot be reached (\(network(name))); changes are kept to be sent later.")
    case .answerLost(let name):
      pick(
        "Dịch vụ chưa trả lời (\(network(name))); không mất gì.",
        "The service did not answer (\(network(name))); nothing is lost.")
    case .unexpectedAnswer(let status, let problem, let contentType):
      unexpectedAnswer(
        status, UnexpectedResponse.Problem(rawValue: problem), contentType: contentType)
    case .untrustedURL(let problem):
      AddressProblem(rawValue: problem).map(explainUntrusted) ?? syncUntrustedURL(problem)
    case .credentials(let problem):
      CredentialsProblem(rawValue: problem).map(explain) ?? syncUnknownProblem
    case .endlessPages(let count):
      pick(
        "Dịch vụ gửi \(count) trang liền không có gì mới và vẫn báo còn nữa; sẽ tự thử lại, nếu "
          + "vẫn vậy thì báo người quản lý dịch vụ.",
        "The service sent \(count) pages in a row with nothing new and still says there are more; "
          + "the program will try again, and if that does not help tell the service's operator.")
    case .unfinishedPages(let count):
      pick(
        "Đã đọc \(count) trang của dịch vụ mà chưa hết; lần đồng bộ tới sẽ đọc tiếp.",
        "\(count) pages of the service were read and there are more; the next sync goes on.")
    case .storageLimitReached(let records, let bytes):
      pick(
        "Dịch vụ gửi nhiều hơn mức một thư viện nhận (\(records) bản ghi hoặc "
          + "\(bytes / 1_000_000_000) GB), nên không nhận thêm; báo người quản lý dịch vụ. "
          + "Để trở lại trước đó: quran-vi backup restore",
        "The service sends more than a library takes (\(records) records or "
          + "\(bytes / 1_000_000_000) GB), so no more is taken; tell its operator. "
          + "To go back to before: quran-vi backup restore")
    case .historyForked:
      pick(
        "Dịch vụ đã được khôi phục về dữ liệu cũ; thư viện sẽ được so lại toàn bộ ở lần đồng bộ "
          + "tới.",
        "The service's data went back to an earlier time; the library is compared with all of it "
          + "at the next sync.")
    case .recordTooLarge(let bytes):
      pick(
        "\(bytes) byte là quá lớn cho một bản ghi (tối đa \(Limits.recordBytes)); rút ngắn "
          + "ghi chú rồi lưu lại.",
        "\(bytes) bytes are too large for a record (at most \(Limits.recordBytes)); make the note "
          + "shorter and save it again.")
    case .recordUnreadable:
      pick(
        "Bản ghi cùng tên trên dịch vụ không đọc được nên không bị ghi đè; xóa nó ở dịch vụ rồi "
          + "chạy: quran-vi sync now --retry",
        "The record of that name on the service cannot be read and is not overwritten; delete it "
          + "there, then: quran-vi sync now --retry")
    case .massDeletion(let counts, let isProfileGone):
      explain(MassDeletion(counts: counts, isProfileGone: isProfileGone))
    case .unknown: syncUnknownProblem
    }
  }

  /// Returns a reason in parentheses, to append to a sentence; an empty string if there is none.
  private func detail(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  /// Explains why a sync round failed, in one or two words.
  public func syncCorner(_ failure: SyncFailure) -> String {
    switch failure {
    case .signedOut, .unconfirmed: syncCornerSignIn
    case .library: pick("thư viện", "library")
    case .massDeletion: pick("xóa nhiều?", "deletions?")
    case .endlessPages, .unfinishedPages, .storageLimitReached, .historyForked: syncCornerRefused
    case .restored: pick("khôi phục?", "restored?")
    case .call(.credentials): syncCornerCredentials
    case .call(.unreachable(.curlUnavailable)): pick("thiếu libcurl", "no libcurl")
    case .call(.service(let error)) where error.code == .authenticationRequired: syncCornerSignIn
    case .call(.service(let error)) where error.code == .authenticationFailed:
      pick("mã API", "API token")
    case .call: syncCornerRefused
    }
  }

  /// Explains the question whether to accept many deletions.
  public func explain(_ question: MassDeletion) -> String {
    let kinds: [Thing.Kind] = [.note, .favorite, .progress, .setting]
    let counts = kinds.compactMap { kind in question.counts[kind].map { count($0, of: kind) } }
      .joined(separator: ", ")
    return question.isProfileGone
      ? pick(
        "Dữ liệu của tài khoản đã bị xóa ở máy khác: sẽ mất \(counts) ở đây.",
        "The account's data was deleted on another device; this would delete \(counts) here.")
      : pick(
        "Máy khác đã xóa nhiều mục: sẽ mất \(counts) ở đây.",
        "Another device deleted many entries; this would delete \(counts) here.")
  }

  private func count(_ count: Int, of kind: Thing.Kind) -> String {
    switch kind {
    case .note: noteCount(count)
    case .favorite: favoriteCount(count)
    case .progress:
      pick(
        "tiến độ của \(count) chương",
        count == 1 ? "the progress of 1 surah" : "the progress of \(count) surahs")
    case .setting: pick("\(count) cài đặt", count == 1 ? "1 setting" : "\(count) settings")
    }
  }

  /// Explains why a request to the service failed.
  public func explain(_ failure: CallFailure) -> String {
    failure.problem.map { explain($0) } ?? pick("Đã dừng.", "Stopped.")
  }

  /// - Parameter problem: The problem, or nil if it was stored by another version of the program.
  private func unexpectedAnswer(
    _ status: Int, _ problem: UnexpectedResponse.Problem?, contentType: String?
  ) -> String {
    let facts = [status == 0 ? nil : "\(status)", contentType?.sanitizedLine, problem.map(name)]
      .compactMap(\.self).joined(separator: ", ")
    return pick(
      "Câu trả lời không phải của dịch vụ (\(facts)); kiểm tra địa chỉ, proxy và mạng.",
      "The answer did not come from a record service (\(facts)); check the address, the proxy "
        + "and the network.")
  }

  /// Returns a short description, for use in parentheses.
  private func name(of problem: UnexpectedResponse.Problem) -> String {
    switch problem {
    case .notHTTP: pick("không phải HTTP", "not HTTP")
    case .redirect: pick("chuyển hướng, không đi theo", "a redirect, which is not followed")
    case .tooLarge: pick("quá lớn", "too large")
    case .unreadable: pick("không đúng dạng JSON của dịch vụ", "not the JSON of such a service")
    case .undecodableError: pick("một lỗi không có mô tả", "an error without a description")
    case .wrongCount: pick("sai số bản ghi", "another number of records than expected")
    case .wrongRecords: pick("sai bản ghi", "other records than expected")
    case .noZone: pick("thiếu vùng dữ liệu", "without the zone")
    case .endlessFeed:
      pick("danh sách thay đổi không tiến lên", "a list of changes that does not go on")
    case .noUserName: pick("tài khoản không có tên", "an account without a name")
    }
  }

  /// Explains why a URL that the service sent is not used.
  public func explainUntrusted(_ problem: AddressProblem) -> String {
    syncUntrustedURL(explain(problem))
  }

  private func explain(_ problem: CredentialsProblem) -> String {
    switch problem {
    case .unreadable:
      pick(
        "Không đọc được mã đăng nhập đã lưu.", "The stored sign-in token cannot be read.")
    case .notStored:
      pick(
        "Không lưu được mã đăng nhập mới; kiểm tra đĩa và quyền của tệp.",
        "The new sign-in token cannot be stored; check the disk and the file's permissions.")
    }
  }

  /// Explains a network problem, for use in parentheses.
  public func explain(_ problem: NetworkProblem) -> String {
    switch problem {
    case .curlUnavailable:
      pick(
        "thiếu libcurl; trên Debian: sudo apt-get install libcurl4",
        "libcurl is missing; on Debian: sudo apt-get install libcurl4")
    case .invalidURL: pick("không dùng được địa chỉ", "the address cannot be used")
    case .hostNotFound: pick("không tìm thấy tên máy", "host name not found")
    case .networkUnreachable: pick("không có mạng", "no network")
    case .connectionFailed: pick("không nối được", "no connection")
    case .connectionRefused: pick("kết nối bị từ chối", "connection refused")
    case .connectionClosed: pick("kết nối bị ngắt", "the connection was cut")
    case .timedOut: pick("quá lâu", "it took too long")
    case .proxyNotFound: pick("không tìm thấy proxy", "proxy not found")
    case .proxyAuthenticationRequired: pick("proxy đòi mật khẩu", "the proxy asks for a password")
    case .proxyRefused: pick("proxy từ chối", "the proxy refused")
    case .tlsFailed: pick("TLS thất bại", "TLS failed")
    case .tlsTimedOut: pick("TLS quá lâu", "TLS takes too long")
    case .certificateUntrusted:
      pick("TLS: chứng chỉ không đáng tin", "TLS: the certificate is not trusted")
    case .certificateHostMismatch:
      pick("TLS: chứng chỉ của tên khác", "TLS: the certificate is for another name")
    }
  }

  /// Explains why the service did not store the user's profile.
  public func syncNoProfile(_ error: ServiceError) -> String {
    pick(
      "Dịch vụ không nhận hồ sơ người dùng; mọi thứ khác vẫn đồng bộ. ",
      "The service takes no user profile; all else is synced. ") + explain(error)
  }

  /// Explains an error of the service and what the user can do about it. For the operator of the
  /// service, the error code and the reason that the service sent are appended.
  public func explain(_ error: ServiceError) -> String {
    let detail = error.reason.map { "\(error.code.rawValue): \($0)" } ?? error.code.rawValue
    return switch error.code {
    case .authenticationRequired:
      pick(
        "Phiên đăng nhập đã hết hạn, không mất gì; đăng nhập lại bằng: quran-vi sync login",
        "The sign-in is over and nothing is lost; sign in again with: quran-vi sync login")
    case .authenticationFailed:
      pick(
        "Dịch vụ không nhận mã API; hỏi người quản lý mã mới rồi chạy: quran-vi sync connect URL",
        "The service does not take the API token; ask its operator for a new one, then: "
          + "quran-vi sync connect URL")
    case .accessDenied:
      pick(
        "Dịch vụ không cho phép (\(detail)); nhờ người quản lý kiểm tra quyền trong schema của "
          + "container.",
        "The service does not allow it (\(detail)); ask the operator to check the permissions in "
          + "the container's schema.")
    case .quotaExceeded:
      pick(
        "Tài khoản trên dịch vụ đã đầy; dữ liệu ở máy này vẫn nguyên, mỗi giờ sẽ thử lại.",
        "The account on the service is full; your data is safe here, and sending is tried again "
          + "every hour.")
    case .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable, .internalError:
      pick(
        "Dịch vụ đang bận (\(detail)); không mất gì.",
        "The service is busy (\(detail)); nothing is lost.")
    case .notFound, .unknownItem, .zoneNotFound:
      pick(
        "Dịch vụ không có container này (\(detail)); kiểm tra địa chỉ và tên container.",
        "The service does not have this container (\(detail)); check the address and the "
          + "container's name.")
    case .badRequest, .invalidFieldType:
      pick(
        "Dịch vụ không hiểu yêu cầu (\(detail)); người quản lý cần triển khai schema mới nhất của "
          + "container, sau đó chạy: quran-vi sync now --retry",
        "The service does not understand the request (\(detail)); its operator has to deploy the "
          + "container's newest schema, then: quran-vi sync now --retry")
    case .changeTokenExpired:
      pick(
        "Dịch vụ không còn nhớ máy này đã đọc đến đâu (\(detail)); không mất gì, chạy "
          + "quran-vi sync now để đọc lại từ đầu; nếu vẫn vậy, báo người quản lý dịch vụ.",
        "The service no longer knows how far this device has read (\(detail)); nothing is lost: "
          + "run quran-vi sync now to read from the beginning; if that does not help, tell its "
          + "operator.")
    case .conflict, .exists, .serverRecordChanged:
      pick(
        "Máy khác đã sửa cùng một mục (\(detail)); lần đồng bộ tới sẽ gộp hai bản. Chạy: "
          + "quran-vi sync now",
        "Another device changed the same entry (\(detail)); the next sync merges both. Run: "
          + "quran-vi sync now")
    case .limitExceeded:
      pick(
        "Dịch vụ thấy như vậy là quá nhiều hoặc quá lớn (\(detail)); rút ngắn ghi chú, hoặc nhờ "
          + "người quản lý tăng giới hạn, rồi chạy: quran-vi sync now --retry",
        "That is too much or too large for the service (\(detail)); make the note shorter, or ask "
          + "its operator for a higher limit, then: quran-vi sync now --retry")
    case .atomicError, .atomicFailure, .batchRequestFailed:
      pick(
        "Dịch vụ từ chối cả loạt vì một bản ghi khác trong đó (\(detail)); thử lại bằng: "
          + "quran-vi sync now --retry",
        "The service refused a whole batch because of another record in it (\(detail)); try again "
          + "with: quran-vi sync now --retry")
    case .validatingReferenceError, .uniqueFieldError:
      pick(
        "Bản ghi trái với một quy tắc của dịch vụ (\(detail)); sửa nội dung rồi lưu lại, hoặc hỏi "
          + "người quản lý dịch vụ.",
        "The record breaks a rule of the service (\(detail)); change and save it again, or ask the "
          + "service's operator.")
    case .other:
      pick(
        "Dịch vụ từ chối (\(detail)); thử lại bằng quran-vi sync now --retry, nếu vẫn vậy thì báo "
          + "người quản lý dịch vụ.",
        "The service refused (\(detail)); try again with quran-vi sync now --retry, and if that "
          + "does not help tell its operator.")
    }
  }

  /// Returns the name of a parked change.
  public func name(of parked: SyncStatus.Parked) -> String {
    parked.ayah.map { pick("ghi chú \($0)", "note of \($0)") } ?? name(of: parked.thing)
  }

  /// Explains why changes are waiting.
  ///
  /// - Parameters:
  ///   - problem: The reason.
  ///   - time: The time of the next attempt, in milliseconds since 1970, UTC; nil if it is the next
  ///     round.
  public func explainWaiting(_ problem: SyncProblem, until time: Int64? = nil) -> String {
    explain(problem) + (time.map { " " + syncTriedAgain(LocalTime($0).description) } ?? "")
  }

  /// Explains why a connection to the service cannot be configured.
  public func explain(_ problem: ClientFactory.Problem) -> String {
    switch problem {
    case .credentials(let problem): explain(problem)
    case .address(let problem):
      pick("Địa chỉ \(explain(problem)).", "The address \(explain(problem)).")
    case .container(let name):
      pick(
        "“\(name)” không phải tên container; tên bắt đầu bằng “iCloud.”.",
        "“\(name)” is not the name of a container; names begin with “iCloud.”.")
    case .containerEnvironment(let name):
      pick(
        "“\(name.sanitizedLine)” không phải môi trường của container: development hoặc production.",
        "“\(name.sanitizedLine)” is not an environment of a container: development or production.")
    case .environment(.certificateAuthorities(let variable, let path)):
      pick(
        "Biến môi trường \(variable) chỉ tới \(path.sanitizedLine), không đọc được "
          + "như các chứng chỉ dạng PEM.",
        "The environment variable \(variable) names \(path.sanitizedLine), which cannot be "
          + "read as certificates in PEM form.")
    }
  }

  /// Explains what is wrong with an address, as the rest of a sentence about it.
  private func explain(_ problem: AddressProblem) -> String {
    switch problem {
    case .characters: pick("có ký tự không được phép", "has characters that no address has")
    case .scheme, .notSecure: pick("phải bắt đầu bằng https://", "must begin with https://")
    case .userInfo:
      pick(
        "không được chứa tên hay mật khẩu", "must not have a user name or password in it")
    case .host: pick("không có tên máy hợp lệ", "has no valid host")
    case .port: pick("không có cổng hợp lệ", "has no valid port")
    case .path: pick("phải kết thúc sau tên máy và cổng", "must end after the host and port")
    }
  }

  /// Explains why a sign-in produced no token, for use within a sentence.
  public func explain(_ problem: SignInProblem) -> String {
    switch problem {
    case .cannotListen:
      pick(
        "không mở được cổng nào trên máy này; dùng --paste",
        "no port of this machine could be opened; use --paste")
    case .timedOut: pick("quá thời gian chờ", "it took too long")
    case .cancelled: pick("đã dừng", "it was cancelled")
    case .closed: pick("lần đăng nhập này đã kết thúc", "this sign-in has already ended")
    }
  }

  /// Explains a problem of the credentials file.
  public func explain(_ problem: CredentialFile.Problem) -> String {
    switch problem {
    case .exposed(let path):
      pick(
        "Người khác có thể đọc \(path); chạy chmod 600 với tệp đó, rồi: quran-vi sync login",
        "Others may read \(path); run chmod 600 on it, then: quran-vi sync login")
    case .damaged(let path):
      pick(
        "Tệp \(path) bị hỏng; xóa nó rồi chạy: quran-vi sync connect URL",
        "The file \(path) is damaged; remove it, then: quran-vi sync connect URL")
    case .unreadable(let path, let code): fileNotRead(path, code)
    case .cannotWrite(let path, let code): fileNotWritten(path, code)
    case .missing: syncNotConnected
    case .otherAccount:
      pick(
        "Người đăng nhập không phải chủ của thư viện này; đăng nhập lại bằng: quran-vi sync login",
        "The signed-in account is not the one this library belongs to; sign in again with: "
          + "quran-vi sync login")
    }
  }

  // MARK: Sentences that several of these share

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
  public var syncUnknownProblem: String {
    pick(
      "Chưa gửi được; thử lại bằng: quran-vi sync now --retry",
      "It was not sent; try again with: quran-vi sync now --retry")
  }
  public func syncServiceWaits(_ time: String) -> String {
    pick(
      "Dịch vụ yêu cầu không hỏi lại trước \(time).",
      "The service asks not to be contacted until \(time).")
  }
  public func syncTriedAgain(_ time: String) -> String {
    pick("Sẽ thử lại lúc \(time).", "Next attempt at \(time).")
  }
  public func syncUntrustedURL(_ reason: String) -> String {
    pick(
      "Dịch vụ đưa ra một địa chỉ không an toàn (\(reason)).",
      "The service named an address that is not safe (\(reason)).")
  }
  public var syncElsewhere: String {
    pick(
      "Một tiến trình khác đang đồng bộ thư viện này.",
      "Another process is syncing this library.")
  }
}

/// The sentences about failures: what failed, and what the user can do.
extension PageMessages {
  var cannotSignIn: String { pick("Không đăng nhập được", "Cannot sign in") }
  var cannotRegister: String { pick("Không đăng ký được", "Cannot register") }

  func sentence(_ failure: SignInFailure) -> String {
    switch failure {
    case .unknownApp:
      pick(
        "Máy chủ này không biết ứng dụng đó, hoặc không còn cho phép nó. Hãy hỏi người quản trị "
          + "máy chủ một API token mới.",
        "This server does not know the app, or no longer allows it. Ask the operator of the "
          + "server for a new API token.")
    case .callbackRefused:
      pick(
        "Ứng dụng muốn đưa trình duyệt tới một địa chỉ chưa được đăng ký, nên yêu cầu bị từ chối.",
        "The app wants the browser to be sent to an address that is not registered for it, so "
          + "this was refused.")
    case .requestExpired:
      pick(
        "Yêu cầu này đã hết hạn hoặc không phải của máy chủ này. Hãy trở lại ứng dụng và bắt đầu "
          + "lại.",
        "This request is too old, or not from this server. Go back to the app and begin again.")
    case .wrongNameOrPassword:
      pick(
        "Tên tài khoản hoặc mật khẩu không đúng.", "The account name or the password is wrong.")
    case .tooManyAttempts(let wait): tooManyAttempts(wait)
    case .busy(let wait): busy(wait)
    case .unavailable: unavailable
    }
  }

  func sentence(_ failure: RegistrationFailure) -> String {
    switch failure {
    case .closed:
      pick(
        "Máy chủ này không nhận đăng ký. Hãy nhờ người quản trị tạo tài khoản cho bạn.",
        "This server takes no registrations. Ask its operator to make an account for you.")
    case .invitationNeeded:
      pick(
        "Cần có mã mời để đăng ký ở đây. Hãy hỏi người quản trị máy chủ.",
        "You need an invitation code to register here. Ask the operator of the server.")
    case .invitationUnusable:
      pick(
        "Mã mời không đúng, đã dùng rồi hoặc đã hết hạn. Hãy xem lại, hoặc xin mã mới.",
        "The invitation code is wrong, used or too old. Look at it again, or ask for a new one.")
    case .name(.empty):
      pick("Hãy nhập tên tài khoản.", "Enter an account name.")
    case .name(.tooLong(let limit)):
      pick(
        "Tên tài khoản dài quá \(limit) ký tự; hãy chọn tên ngắn hơn.",
        "The account name has more than \(limit) characters; choose a shorter one.")
    case .name(.unusable):
      pick(
        "Tên tài khoản phải bắt đầu bằng chữ cái hoặc chữ số, và chỉ có chữ cái, chữ số, dấu cách "
          + "và . _ - @ +",
        "An account name begins with a letter or a digit, and has only letters, digits, spaces "
          + "and . _ - @ +")
    case .nameTaken:
      pick(
        "Tên tài khoản này đã có người dùng; hãy chọn tên khác.",
        "This account name is taken; choose another.")
    case .password(.tooShort(let minimum)):
      pick(
        "Mật khẩu ngắn quá; hãy chọn mật khẩu có ít nhất \(minimum) ký tự.",
        "The password is too short; choose one of at least \(minimum) characters.")
    case .password(.tooLong(let bytes)):
      pick(
        "Mật khẩu dài quá \(bytes) byte; hãy chọn mật khẩu ngắn hơn.",
        "The password is longer than \(bytes) bytes; choose a shorter one.")
    case .password(.common):
      pick(
        "Mật khẩu này quá dễ đoán; hãy chọn mật khẩu khác. Một câu dài dễ nhớ là tốt nhất.",
        "This password is too easy to guess; choose another. A long sentence that is easy to "
          + "remember is best.")
    case .requestExpired:
      pick(
        "Trang này đã mở quá lâu. Hãy thử lại.", "This page was open for too long. Try again.")
    case .tooManyAttempts(let wait): tooManyAttempts(wait)
    case .busy(let wait): busy(wait)
    case .unavailable: unavailable
    }
  }

  /// - Parameter wait: the time to wait, in seconds.
  func tooManyAttempts(_ wait: Double) -> String {
    pick(
      "Đã thử quá nhiều lần; hãy đợi \(duration(wait)) rồi thử lại.",
      "Too many attempts; wait \(duration(wait)) and try again.")
  }

  /// - Parameter wait: the time to wait, in seconds.
  private func busy(_ wait: Double) -> String {
    pick(
      "Máy chủ đang bận; hãy thử lại sau \(duration(wait)).",
      "The server is busy; try again in \(duration(wait)).")
  }

  var unavailable: String {
    pick(
      "Máy chủ đang gặp lỗi và đã ghi lại điều đó. Hãy thử lại sau.",
      "The server has a problem and has made a note of it. Try again later.")
  }

  private func duration(_ wait: Double) -> String {
    let seconds = Page.seconds(wait)
    guard seconds >= 120 else {
      return pick("\(seconds) giây", seconds == 1 ? "1 second" : "\(seconds) seconds")
    }
    let minutes = (seconds + 59) / 60
    return pick("\(minutes) phút", "\(minutes) minutes")
  }
}

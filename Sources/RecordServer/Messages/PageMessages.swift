import Text

/// The words of the server's web pages for sign-in and registration, in Vietnamese or English.
struct PageMessages: Hashable, Sendable {
  let language: Language

  init(_ language: Language) {
    self.language = language
  }

  /// The messages in the other language.
  var inOtherLanguage: PageMessages {
    PageMessages(language == .vietnamese ? .english : .vietnamese)
  }

  /// Returns the sentence in the language of these messages.
  func pick(_ vietnamese: String, _ english: String) -> String {
    language == .vietnamese ? vietnamese : english
  }

  /// The name of the language in the language itself.
  var languageName: String { pick("Tiếng Việt", "English") }

  // MARK: Signing in

  var signIn: String { pick("Đăng nhập", "Sign in") }
  /// The label in front of an app's name.
  var appLabel: String { pick("Ứng dụng đang xin truy cập:", "App that requests access:") }
  /// The label in front of a container's name.
  var dataLabel: String { pick("Dữ liệu:", "Data:") }
  /// Returns the sentence about a redirect to a web address.
  func returning(to address: String) -> String {
    pick(
      "Sau khi đăng nhập, trình duyệt sẽ được đưa tới \(address).",
      "Once you are signed in, the browser is sent to \(address).")
  }
  /// Returns the sentence about a redirect to a program on this computer.
  func returningHere(to address: String) -> String {
    pick(
      "Sau khi đăng nhập, trình duyệt sẽ được đưa về chương trình trên máy này (\(address)).",
      "Once you are signed in, the browser is sent back to the program on this computer "
        + "(\(address)).")
  }
  var returningByCode: String {
    pick(
      "Sau khi đăng nhập, bạn sẽ nhận một mã để chép vào ứng dụng.",
      "Once you are signed in, you get a code to copy into the app.")
  }
  var onlyIfAsked: String {
    pick(
      "Chỉ đăng nhập nếu chính bạn vừa yêu cầu từ ứng dụng đó.",
      "Sign in only if you have just asked for it in that app.")
  }
  var accountName: String { pick("Tên tài khoản", "Account name") }
  var password: String { pick("Mật khẩu", "Password") }
  var keepSignedIn: String {
    pick("Giữ đăng nhập trong hai tuần", "Keep me signed in for two weeks")
  }
  var noAccountYet: String { pick("Chưa có tài khoản? Đăng ký", "No account yet? Register") }

  // MARK: The code

  var codeTitle: String { pick("Mã đăng nhập", "Sign-in code") }
  /// The beginning of a sentence that ends with the app's name.
  var copyCodeInto: String {
    pick("Hãy chép toàn bộ mã này và dán vào ứng dụng:", "Copy the whole code and paste it into:")
  }
  var codeIsSecret: String {
    pick(
      "Ai có mã này đều đọc được dữ liệu của bạn: đừng gửi cho người khác. Chép xong, hãy đóng "
        + "trang này.",
      "Whoever has this code can read your data: send it to no one. When it is copied, close "
        + "this page.")
  }

  // MARK: Registration

  var register: String { pick("Đăng ký tài khoản", "Register an account") }
  var invitation: String { pick("Mã mời", "Invitation code") }
  var invitationHint: String {
    pick(
      "Người quản trị máy chủ này đã đưa cho bạn; mỗi mã chỉ dùng được một lần.",
      "The operator of this server gave it to you. Each code can be used only once.")
  }
  func nameHint(limit: Int) -> String {
    pick(
      "Chữ cái, chữ số, dấu cách và . _ - @ + ; nhiều nhất \(limit) ký tự, không phân biệt chữ "
        + "hoa.",
      "Letters, digits, spaces and . _ - @ + ; at most \(limit) characters; capitals make no "
        + "difference.")
  }
  func passwordHint(minimum: Int) -> String {
    pick(
      "Ít nhất \(minimum) ký tự. Một câu dài dễ nhớ là tốt nhất. Không ai lấy lại được mật khẩu "
        + "đã quên; người quản trị chỉ có thể đặt mật khẩu mới.",
      "At least \(minimum) characters. A long sentence that is easy to remember is best. A "
        + "forgotten password cannot be recovered; the operator can only set a new one.")
  }
  var createAccount: String { pick("Tạo tài khoản", "Create the account") }
  var haveAccount: String { pick("Đã có tài khoản? Đăng nhập", "Have an account? Sign in") }
  var registered: String { pick("Đã tạo tài khoản", "Your account was created") }
  /// The label in front of an account's name.
  var yourAccount: String { pick("Tên tài khoản của bạn:", "Your account name:") }
  var goBackToApp: String {
    pick(
      "Hãy trở lại ứng dụng và đăng nhập từ đó.", "Go back to the app and sign in from there.")
  }
}

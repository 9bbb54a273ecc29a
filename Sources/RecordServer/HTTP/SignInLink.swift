import Hummingbird
import Text

/// What the URL of a sign-in asks for; links between its pages keep it.
struct SignInLink {
  /// Empty where there is none.
  var apiToken: String
  var callback: String?
  /// Whether a code is to be shown, whatever callbacks there are.
  var wantsCode: Bool
  var invitation: String?
  var language: Language
  /// Whether the language was said, and not only what the browser prefers.
  private var saysLanguage: Bool

  private static let callbackParameter = "callback"
  private static let wayParameter = "way"
  private static let code = "code"

  init(_ request: Request) {
    apiToken = request.parameter(APIHandler.apiTokenParameter) ?? ""
    callback = request.parameter(Self.callbackParameter)
    wantsCode = request.parameter(Self.wayParameter) == Self.code
    invitation = request.parameter(FormField.invitation)
    let lang = request.parameter(FormField.language)
    saysLanguage = lang != nil
    language = Language(lang: lang, acceptLanguage: request.headers[.acceptLanguage])
  }

  var returning: SignInReturn {
    if wantsCode { return .code }
    return callback.map(SignInReturn.callback) ?? .usual
  }

  var inOtherLanguage: SignInLink {
    var link = self
    link.language = language == .vietnamese ? .english : .vietnamese
    link.saysLanguage = true
    return link
  }

  func url(_ path: String) -> String {
    let parameters: [(String, String?)] = [
      (APIHandler.apiTokenParameter, apiToken.isEmpty ? nil : apiToken),
      (Self.callbackParameter, callback),
      (Self.wayParameter, wantsCode ? Self.code : nil),
      (FormField.invitation, invitation),
      (FormField.language, saysLanguage ? language.rawValue : nil),
    ]
    let query = parameters.compactMap { name, value in
      value.map { "\(name)=\(Callback.percentEncoded($0))" }
    }
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }
}

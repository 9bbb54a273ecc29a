import Hummingbird
import Text

/// The parameters of a sign-in URL. The links between the pages pass them on.
struct SignInLink {
  /// The app's API token; empty if the URL has none.
  var apiToken: String
  /// The URL to which the app wants the browser to be redirected.
  var callback: String?
  /// Whether the app wants a code to be shown, even if a callback is registered.
  var wantsCode: Bool
  /// The code of the user's invitation.
  var invitation: String?
  /// The language of the page.
  var language: Language
  /// Whether the URL names the language. Otherwise the browser's preference determines the
  /// language.
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

  /// How the app wants to receive its web auth token.
  var delivery: RequestedDelivery {
    if wantsCode { return .code }
    return callback.map(RequestedDelivery.callback) ?? .default
  }

  /// The same link in the other language.
  var inOtherLanguage: SignInLink {
    var link = self
    link.language = language == .vietnamese ? .english : .vietnamese
    link.saysLanguage = true
    return link
  }

  /// Returns the URL of a page with these parameters.
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

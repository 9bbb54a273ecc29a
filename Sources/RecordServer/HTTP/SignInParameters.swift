import CloudRecords
import Hummingbird
import Text

/// The parameters of the URL of the sign-in page. The links to the other pages repeat them.
struct SignInParameters {
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
  var hasLanguageParameter: Bool

  private static let callbackParameter = "callback"
  private static let deliveryParameter = "way"
  private static let code = "code"

  /// How the app wants to receive its web auth token; nil if the URL does not say it.
  var delivery: TokenDelivery? { wantsCode ? .code : callback.map(TokenDelivery.callback) }

  /// The same parameters in the other language.
  var inOtherLanguage: SignInParameters {
    var other = self
    other.language = language == .vietnamese ? .english : .vietnamese
    other.hasLanguageParameter = true
    return other
  }

  /// Returns the URL of a page with these parameters.
  func url(_ path: String) -> String {
    let parameters: [(String, String?)] = [
      (APIHandler.apiTokenParameter, apiToken.isEmpty ? nil : apiToken),
      (Self.callbackParameter, callback),
      (Self.deliveryParameter, wantsCode ? Self.code : nil),
      (FormField.invitation, invitation),
      (FormField.language, hasLanguageParameter ? language.rawValue : nil),
    ]
    let query = parameters.compactMap { name, value in
      value.map { "\(name)=\(PercentEncoding.encode($0))" }
    }
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }
}

extension SignInParameters {
  init(_ request: Request) {
    apiToken = request.parameter(APIHandler.apiTokenParameter) ?? ""
    callback = request.parameter(Self.callbackParameter)
    wantsCode = request.parameter(Self.deliveryParameter) == Self.code
    invitation = request.parameter(FormField.invitation)
    let lang = request.parameter(FormField.language)
    hasLanguageParameter = lang != nil
    language = Language(lang: lang, acceptLanguage: request.headers[.acceptLanguage])
  }
}

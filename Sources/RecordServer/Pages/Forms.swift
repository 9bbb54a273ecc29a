import CloudRecords

/// The parts of forms. Each field has its label before it, on a line of its own also where
/// no style sheet is obeyed.
extension HTML {
  static func hidden(_ name: String, _ value: String) -> HTML {
    tag("input", ["type": "hidden", "name": name, "value": value])
  }

  /// - Parameters:
  ///   - autocomplete: what it is, for browsers and what keeps passwords.
  ///   - hint: stands below, and is read out with the field.
  ///   - isWrong: whether it is why the form is shown again.
  static func field(
    _ name: String, label: String, type: String = "text", value: String? = nil,
    autocomplete: String, hint: String? = nil, isWrong: Bool = false
  ) -> HTML {
    let described = [hint == nil ? nil : "\(name)-hint", isWrong ? "failure" : nil]
      .compactMap(\.self).joined(separator: " ")
    let input = tag(
      "input",
      [
        "type": type, "id": name, "name": name, "value": value, "autocomplete": autocomplete,
        "autocapitalize": "none", "spellcheck": "false",
        "aria-describedby": described.isEmpty ? nil : described,
        "aria-invalid": isWrong ? "true" : nil,
      ]
    ).marked("required")
    let below: HTML =
      hint.map { hint in
        .several([
          tag("br"), tag("span", ["id": "\(name)-hint", "class": "hint"], .text(hint)),
        ])
      } ?? .nothing
    return tag(
      "p", [:], tag("label", ["for": name], .text(label)), tag("br"), input, below)
  }

  static func checkbox(_ name: String, label: String, isChecked: Bool) -> HTML {
    let box = tag("input", ["type": "checkbox", "id": name, "name": name, "value": "1"])
    return tag(
      "p", [:], isChecked ? box.marked("checked") : box, " ",
      tag("label", ["for": name], .text(label)))
  }

  static func button(_ label: String) -> HTML {
    tag("p", [:], tag("button", ["type": "submit"], .text(label)))
  }

  /// Why the form is shown again; screen readers say it at once.
  static func failure(_ sentence: String?) -> HTML {
    sentence.map { tag("p", ["id": "failure", "class": "failure", "role": "alert"], .text($0)) }
      ?? .nothing
  }

  static func link(_ url: String?, _ label: String) -> HTML {
    url.map { tag("p", [:], tag("a", ["href": $0], .text(label))) } ?? .nothing
  }

  static func paragraph(_ text: String) -> HTML { tag("p", [:], .text(text)) }

  /// Which app asks, and for what.
  static func asking(_ request: SignInRequest, _ messages: PageMessages) -> HTML {
    let environment = request.environment.map { " (\($0.rawValue))" } ?? ""
    return .several([
      tag(
        "p", [:], .text(messages.asking), " ", tag("strong", [:], .name(request.app)), tag("br"),
        .text(messages.container), " ", .name(request.container.name), .text(environment)),
      tag(
        "p", ["class": "hint"], .text(messages.sentence(request.way)), " ",
        .text(messages.onlyIfAsked)),
    ])
  }
}

extension PageMessages {
  fileprivate func sentence(_ way: SignInWay) -> String {
    switch way {
    case .code: returningByCode
    case .callback(let callback):
      Callback.isLoopback(callback)
        ? returningHere(to: Callback.host(of: callback))
        : returning(to: Callback.host(of: callback))
    }
  }
}

extension SignInWay {
  /// Where a form that signs in leads to.
  var formTargets: [String] {
    switch self {
    case .code: ["'self'"]
    case .callback(let callback): ["'self'", Callback.formTarget(of: callback)]
    }
  }
}

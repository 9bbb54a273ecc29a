import CloudRecords

/// The parts of forms. Each label is in front of its field and on its own line, so that forms are
/// usable in browsers without CSS.
extension HTML {
  /// Returns an input that is sent with the form and not shown.
  static func hidden(_ name: String, _ value: String) -> HTML {
    tag("input", ["type": "hidden", "name": name, "value": value])
  }

  /// Returns a required text field with its label.
  ///
  /// - Parameters:
  ///   - autocomplete: the value of the `autocomplete` attribute, for browsers and password
  ///     managers.
  ///   - hint: a text below the field that screen readers read with it.
  ///   - isWrong: whether the value of this field was rejected.
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

  /// Returns a checkbox with its label.
  static func checkbox(_ name: String, label: String, isChecked: Bool) -> HTML {
    let box = tag("input", ["type": "checkbox", "id": name, "name": name, "value": "1"])
    return tag(
      "p", [:], isChecked ? box.marked("checked") : box, " ",
      tag("label", ["for": name], .text(label)))
  }

  /// Returns the button that sends the form.
  static func button(_ label: String) -> HTML {
    tag("p", [:], tag("button", ["type": "submit"], .text(label)))
  }

  /// Returns the reason why the form is shown again. Screen readers read it immediately.
  static func failure(_ sentence: String?) -> HTML {
    sentence.map { tag("p", ["id": "failure", "class": "failure", "role": "alert"], .text($0)) }
      ?? .nothing
  }

  /// Returns a paragraph with a link; empty if the URL is nil.
  static func link(_ url: String?, _ label: String) -> HTML {
    url.map { tag("p", [:], tag("a", ["href": $0], .text(label))) } ?? .nothing
  }

  static func paragraph(_ text: String) -> HTML { tag("p", [:], .text(text)) }

  /// Returns the name of the app that asks for access, and the data it asks for.
  static func asking(_ request: SignInRequest, _ messages: PageMessages) -> HTML {
    let environment = request.environment.map { " (\($0.rawValue))" } ?? ""
    return .several([
      tag(
        "p", [:], .text(messages.appLabel), " ", tag("strong", [:], .name(request.app)), tag("br"),
        .text(messages.dataLabel), " ", .name(request.container.name), .text(environment)),
      tag(
        "p", ["class": "hint"], .text(messages.sentence(request.delivery)), " ",
        .text(messages.onlyIfAsked)),
    ])
  }
}

extension PageMessages {
  /// Returns the sentence about what happens after the sign-in.
  fileprivate func sentence(_ delivery: TokenDelivery) -> String {
    switch delivery {
    case .code: returningByCode
    case .callback(let callback):
      Callback.isLoopback(callback)
        ? returningHere(to: Callback.host(of: callback))
        : returning(to: Callback.host(of: callback))
    }
  }
}

extension TokenDelivery {
  /// The sources of the `form-action` directive for a form that signs in with this delivery.
  var formTargets: [String] {
    switch self {
    case .code: ["'self'"]
    case .callback(let callback): ["'self'", Callback.formTarget(of: callback)]
    }
  }
}

public import Messages
import Terminal

/// The part of the manual page that is made from the key table, as mdoc.
public enum ManualPage {
  public static func keys(_ table: KeyTable, messages: Messages) -> String {
    var lines = [".Sh KEYS"]
    for group in table.groups {
      lines.append(".Ss \(group.name(messages))")
      lines.append(".Bl -tag -width Ds")
      for binding in group.bindings {
        let keys = binding.keys.map { escaped($0.description) }.joined(separator: ", ")
        lines.append(".It \(keys.isEmpty ? escaped("–") : keys)")
        lines.append(escaped(binding.name(messages)))
        // Print the action's name in the configuration file in parentheses.
        lines.append(".Pq Li \(escaped(binding.action.configurationName))")
      }
      lines.append(".El")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns a string that mdoc prints as it is, also if it begins with a dot or a quote.
  private static func escaped(_ text: String) -> String {
    let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return "\\&" + text
  }
}

/// The control sequences in the output of a program.
struct ControlSequences {
  /// The last state of each private mode that was switched, as by `ESC [ ? 25 h`.
  private(set) var modes: [Int: Bool] = [:]
  /// Private modes that were on at some time.
  private(set) var modesUsed: Set<Int> = []
  /// The parameters of every SGR sequence, in order.
  private(set) var attributes: [[Int]] = []

  init(_ bytes: [UInt8]) {
    var index = bytes.startIndex
    while let escape = bytes[index...].firstIndex(of: 0x1B) {
      index = escape + 1
      guard index < bytes.count, bytes[index] == UInt8(ascii: "[") else { continue }
      let start = index + 1
      guard let end = bytes[start...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return
      }
      read(bytes[start..<end], final: bytes[end])
      index = end + 1
    }
  }

  private mutating func read(_ body: ArraySlice<UInt8>, final: UInt8) {
    let isPrivate = body.first == UInt8(ascii: "?")
    let numbers = body.dropFirst(isPrivate ? 1 : 0)
      .split(omittingEmptySubsequences: false) {
        $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ":")
      }
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    switch (isPrivate, final) {
    case (true, UInt8(ascii: "h")), (true, UInt8(ascii: "l")):
      let isOn = final == UInt8(ascii: "h")
      for mode in numbers {
        modes[mode] = isOn
        if isOn { modesUsed.insert(mode) }
      }
    // The saved state is restored (XTRESTORE).
    case (true, UInt8(ascii: "r")): for mode in numbers { modes[mode] = nil }
    case (false, UInt8(ascii: "m")): attributes.append(numbers)
    default: break
    }
  }

  /// Private modes whose last state differs from the initial state of a terminal.
  var modesLeftBehind: [String] {
    // A visible cursor and wrapping at the margin are on from the start.
    let onAtFirst: Set<Int> = [7, 25]
    return modes.filter { $0.value != onAtFirst.contains($0.key) }
      .map { "?\($0.key)\($0.value ? "h" : "l")" }.sorted()
  }

  /// The SGR sequences that choose a colour.
  var colours: [[Int]] {
    attributes.filter { sequence in
      sequence.contains { number in
        (30...38).contains(number) || (40...48).contains(number) || (90...107).contains(number)
      }
    }
  }
}

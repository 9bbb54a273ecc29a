import Testing

@testable import Terminal

/// The events of bytes that come in pieces, with no pause between them.
func events(
  _ pieces: [some Sequence<UInt8>], sequences: [[UInt8]: Key] = [:], flush: Bool = false
) -> [Event] {
  var decoder = InputDecoder(sequences: sequences)
  var events: [Event] = []
  for piece in pieces {
    decoder.feed(piece)
    while let event = decoder.next() { events.append(event) }
  }
  if flush {
    while let event = decoder.next(flush: true) { events.append(event) }
  }
  return events
}

/// Expects the bytes to be these events, whole, cut in two at any place, and
/// one by one, with nothing left that waits for more.
func expect(
  _ bytes: [UInt8], are expected: [Event], sequences: [[UInt8]: Key] = [:],
  _ location: SourceLocation = #_sourceLocation
) {
  var ways: [[ArraySlice<UInt8>]] = [bytes.indices.map { bytes[$0...$0] }]
  for cut in bytes.indices { ways.append([bytes[..<cut], bytes[cut...]]) }
  for way in ways {
    let found = events(way, sequences: sequences)
    #expect(found == expected, "\(way.map(Array.init))", sourceLocation: location)
    let flushed = events(way, sequences: sequences, flush: true)
    #expect(flushed == found, "something waits: \(way.map(Array.init))", sourceLocation: location)
  }
}

func expect(
  _ text: String, are expected: [Event], sequences: [[UInt8]: Key] = [:],
  _ location: SourceLocation = #_sourceLocation
) {
  expect(Array(text.utf8), are: expected, sequences: sequences, location)
}

/// Expects the text to be one key.
func expect(
  _ text: String, is key: Key, sequences: [[UInt8]: Key] = [:],
  _ location: SourceLocation = #_sourceLocation
) {
  expect(text, are: [.key(key)], sequences: sequences, location)
}

/// Expects bytes to be passed over: what follows them is a key of its own.
func expectSkipped(_ text: String, _ location: SourceLocation = #_sourceLocation) {
  expect(text, are: [], location)
  expect(text + "j", is: "j", location)
  expect(text + "\u{1B}[A", is: Key(.up), location)
}

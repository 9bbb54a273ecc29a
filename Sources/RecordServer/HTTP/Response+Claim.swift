import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
  /// Holds a claim for the body until the client has received all but the last part of it, or the
  /// connection ends.
  mutating func hold(_ claim: BodyBudget.Claim, on eventLoop: any EventLoop) {
    body = ResponseBody(contentLength: body.contentLength) { [body] writer in
      try await body.write(WaitingBodyWriter(writer: writer, eventLoop: eventLoop))
      withExtendedLifetime(claim) {}
    }
  }
}

/// A writer that finishes when the channel has room for more, which is when the client has received
/// all but the last part of the body.
private struct WaitingBodyWriter: ResponseBodyWriter {
  var writer: any ResponseBodyWriter
  let eventLoop: any EventLoop

  mutating func write(_ buffer: ByteBuffer) async throws {
    try await writer.write(buffer)
    // The bytes have only been handed to the event loop. The next write waits for room once the
    // event loop has passed them to the channel.
    try await eventLoop.submit {}.get()
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await writer.finish(trailingHeaders)
  }
}

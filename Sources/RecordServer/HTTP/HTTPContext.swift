import FoundationEssentials
import Hummingbird
import NIOCore

/// The context of a request: Hummingbird's, with the channel and an identifier.
struct HTTPContext: Hummingbird.RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The UUID that the response and the log contain. It is not stored.
  let id = UUID.random().uuidString

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The IP address of the other end of the connection; empty if the socket has none.
  var peer: String { channel.remoteAddress?.ipAddress ?? "" }
}

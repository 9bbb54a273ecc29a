import FoundationEssentials
import Hummingbird
import NIOCore

/// What goes along with a request while it is answered.
struct HTTPContext: Hummingbird.RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// Stands in the answer and in the log, and nowhere else.
  let id = UUID().uuidString

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The address at the other end, without a port; empty for a socket that has none.
  var peer: String { channel.remoteAddress?.ipAddress ?? "" }
}

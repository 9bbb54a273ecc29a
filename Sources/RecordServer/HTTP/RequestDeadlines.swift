import CloudRecords
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The error that the channel fires if a request's body does not arrive in time.
struct SlowRequest: Error {}

/// A channel handler that closes connections whose client is too slow or sends too much: one that
/// does not send a whole request in time, does not read the response, or sends many requests ahead.
/// No time limit applies while the server prepares a response, as it does during a long poll. It
/// also keeps the connection's entry in the table of connections, and closes a connection for which
/// the table has no place.
///
/// The handler also closes a connection after a response with `Connection: close`, delays the
/// closes of later handlers until the current response has been written, and reports when the
/// client has closed the connection, because a request that waits for its response does not notice
/// that.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let firstHead: TimeAmount
  private let head: TimeAmount
  private let body: TimeAmount
  private let stall: TimeAmount
  private let connections: ConnectionTable
  private let limitedAddress: @Sendable (any Channel) -> ClientAddress?
  private let onDisconnect: @Sendable (ObjectIdentifier, ConnectionTable.ClientState) -> Void
  private let acknowledged: @Sendable (any Channel) -> UInt64
  /// The time that a slow client has to receive the error before its connection is closed.
  private static let errorDeliveryTime = TimeAmount.seconds(5)
  /// The maximum number of requests of a connection that are not answered yet. All of them are held
  /// in memory. This limit is ours, not Apple's.
  private static let pipelineLimit = 16
  /// The number of parts that any body may have, and the number of bytes that allow one more part.
  /// A part is a chunk, or bytes that were read at once. Most of the time is spent for each part
  /// and not for its bytes, so a client that sends chunks of one byte could keep a processor busy.
  private static let freeParts = 128
  private static let partSize = 64
  /// The maximum number of bytes that are read at once. The parts of requests that they contain can
  /// take much more memory.
  private static let readSize = 16_384
  /// The size of the socket's send buffer in bytes.
  private static let sendBuffer = 262_144
  /// The time between two checks of the progress of a response.
  private static let checkPause = TimeAmount.seconds(1)
  /// The time after which a client that reads nothing counts as not reading.
  private static let patience = TimeAmount.seconds(5)
  /// The lowest rate at which a client counts as reading, in bytes per second. It is averaged over
  /// `stall`: systems acknowledge up to some hundred kilobytes at once, and then nothing until the
  /// client has read them.
  private static let lowestReadingRate: UInt64 = 8192

  /// Fires if the head or the body of a request does not arrive in time.
  private var timer: Scheduled<Void>?
  private var isReadingBody = false
  /// Whether the table has no place for the connection.
  private var isRefused = false
  /// Whether the client has sent more requests than `pipelineLimit` allows, or smaller parts of a
  /// body than `partSize` allows. The connection is closed then.
  private var exceedsLimits = false
  /// The number of parts of the current request's body so far, and of their bytes.
  private var bodyParts = 0
  private var bodyBytes = 0
  /// Whether the current response closes the connection.
  private var isLast = false
  /// The number of the last request received on this connection; the first is 1.
  private var requestsReceived = 0
  /// The number of responses whose end was passed on. Responses have the order of the requests, so
  /// this is also the number of the request that the last one answers. The client may have sent
  /// further ones.
  private var responsesPassedOn = 0
  /// The number of the last request whose response has been written completely.
  private var responsesWritten = 0
  /// Completes when the end of the current response has been written; nil if no response is being
  /// written.
  private var pendingWrite: EventLoopFuture<Void>?
  /// The next check of the progress of the current response.
  private var check: Scheduled<Void>?
  /// The progress that the last check found; nil before the first check of a response.
  private var progress: ReadingProgress?
  /// Whether the client reads the response too slowly. The connection then counts as idle, so it
  /// can be closed to make room for a new one.
  private var isStalled = false

  /// How far the client has read a response, as far as the server's system knows.
  private struct ReadingProgress {
    /// The number of bytes that the client's system had acknowledged at the last check.
    var acknowledged: UInt64
    /// The time of the last check that found newly acknowledged bytes.
    var time: NIODeadline
    /// The client counts as reading until this time. Each acknowledged byte makes it later.
    var readingEnd: NIODeadline
  }

  /// Creates the handler of one connection.
  ///
  /// - Parameters:
  ///   - firstHead: the time within which the first request's head must arrive, and the TLS
  ///     handshake before it.
  ///   - head: the time within which the head of any other request must arrive, counted from the
  ///     previous response.
  ///   - body: the time within which the rest of the request must arrive. The upload of an asset
  ///     has more time, depending on its size.
  ///   - stall: the time after which the connection is closed if the response makes no progress.
  ///   - connections: the table of all connections.
  ///   - limitedAddress: returns the address that a connection counts for; nil for a proxy.
  ///   - onDisconnect: called with the channel's identity and the new state of the client: `gone`
  ///     if the connection was closed, `silent` if the client closed its sending side.
  ///     `connections` already has this state.
  ///   - acknowledged: returns the number of bytes that the client's system has acknowledged.
  init(
    firstHead: TimeAmount, head: TimeAmount, body: TimeAmount, stall: TimeAmount,
    connections: ConnectionTable,
    limitedAddress: @escaping @Sendable (any Channel) -> ClientAddress?,
    onDisconnect: @escaping @Sendable (ObjectIdentifier, ConnectionTable.ClientState) -> Void,
    acknowledged: @escaping @Sendable (any Channel) -> UInt64 = {
      TCPInfo($0)?.acknowledgedBytes ?? 0
    }
  ) {
    self.firstHead = firstHead
    self.head = head
    self.body = body
    self.stall = stall
    self.connections = connections
    self.limitedAddress = limitedAddress
    self.onDisconnect = onDisconnect
    self.acknowledged = acknowledged
  }

  func handlerAdded(context: ChannelHandlerContext) {
    isRefused = !connections.add(context.channel, of: limitedAddress(context.channel))
    // Start with a small buffer: most requests are short, and the buffer lives as long as the
    // connection.
    try? context.channel.syncOptions?.setOption(
      .recvAllocator,
      value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: Self.readSize))
    // Read once from each connection before the turn of the next one: parsing takes time.
    try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
    // By default the kernel accepts megabytes at once. The response would then count as written
    // minutes before a client on a slow line has received it, and the time limit for the next
    // request would begin.
    try? context.channel.syncOptions?.setOption(
      .socketOption(.so_sndbuf), value: .init(Self.sendBuffer))
    let pipeline = context.pipeline.syncOperations
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      try? pipeline.addHandler(HeadNormalizer(), position: .before(codec))
    }
    if context.channel.isActive { awaitHead(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelTimers() }

  func channelActive(context: ChannelHandlerContext) {
    guard !isRefused else { return context.close(promise: nil) }
    awaitHead(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelTimers()
    connections.remove(context.channel)
    onDisconnect(ObjectIdentifier(context.channel), .gone)
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      connections.inputClosed(context.channel)
      onDisconnect(ObjectIdentifier(context.channel), .silent)
    }
    if event is ChannelShouldQuiesceEvent { connections.beginEnding(context.channel) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !exceedsLimits else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard requestsReceived - responsesWritten < Self.pipelineLimit else {
        exceedsLimits = true
        return context.close(promise: nil)
      }
      isReadingBody = true
      requestsReceived += 1
      bodyParts = 0
      bodyBytes = 0
      reportState(context)
      schedule(context, in: body + Self.uploadTime(head)) { context in
        context.fireErrorCaught(SlowRequest())
        self.schedule(context, in: Self.errorDeliveryTime) { $0.close(promise: nil) }
      }
    case .body(let part):
      bodyParts += 1
      bodyBytes += part.readableBytes
      guard bodyParts <= Self.freeParts + bodyBytes / Self.partSize else {
        exceedsLimits = true
        return context.close(promise: nil)
      }
      reportState(context)
    case .end:
      isReadingBody = false
      timer?.cancel()
      requestOrResponseEnded(context)
    }
    context.fireChannelRead(data)
  }

  /// Reports whether the server waits for the client: to read a response, or to send the next
  /// request or the rest of one.
  private func reportState(_ context: ChannelHandlerContext) {
    let received = isReadingBody ? requestsReceived - 1 : requestsReceived
    if isStalled || responsesWritten >= received {
      connections.becomeIdle(context.channel)
    } else {
      connections.becomeBusy(context.channel)
    }
  }

  /// Called when a request was received completely, or a response was written completely.
  private func requestOrResponseEnded(_ context: ChannelHandlerContext) {
    reportState(context)
    if responsesWritten == requestsReceived, !isReadingBody { awaitHead(context) }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data) {
    case .head(let head): isLast = head.headerFields[.connection] == "close"
    case .body: break
    case .end: return writeEnd(data, context, promise)
    }
    context.write(data, promise: promise)
  }

  private func writeEnd(
    _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let written = promise ?? context.eventLoop.makePromise()
    responsesPassedOn += 1
    let number = responsesPassedOn
    pendingWrite = written.futureResult
    context.write(data, promise: written)
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.responsesWritten = number
      if number == self.responsesPassedOn { (self.pendingWrite, self.isStalled) = (nil, false) }
      self.requestOrResponseEnded(context)
    }
    if isLast {
      context.flush()
      close(context: context, mode: .all, promise: nil)
    } else if pendingWrite != nil {
      watchProgress(context)
    }
  }

  /// Closes the channel, or its sending side, after the current response has been written; closing
  /// it immediately would drop the rest of the response. The sending side, too: if the client has
  /// closed its own, NIO closes the whole channel. A connection that was replaced does not wait for
  /// its client.
  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
  ) {
    guard mode != .input, let pendingWrite, connections.contains(context.channel) else {
      return context.close(mode: mode, promise: promise)
    }
    context.flush()
    watchProgress(context)
    pendingWrite.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: promise) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !context.channel.isWritable { watchProgress(context) }
    context.fireChannelWritabilityChanged()
  }

  /// Checks whether the client reads the response, again and again until all of it is written.
  /// Closes the connection if the response makes no progress for too long.
  private func watchProgress(_ context: ChannelHandlerContext) {
    guard check == nil else { return }
    check = context.eventLoop.assumeIsolated().scheduleTask(in: Self.checkPause) {
      self.check = nil
      let wasStalled = self.isStalled
      if self.pendingWrite == nil, context.channel.isWritable {
        (self.progress, self.isStalled) = (nil, false)
      } else {
        let progress = self.currentProgress(context)
        let now = context.eventLoop.now
        if now - progress.time >= self.stall { return context.close(promise: nil) }
        (self.progress, self.isStalled) = (progress, now >= progress.readingEnd)
        self.watchProgress(context)
      }
      if self.isStalled != wasStalled { self.reportState(context) }
    }
  }

  private func currentProgress(_ context: ChannelHandlerContext) -> ReadingProgress {
    let now = context.eventLoop.now
    let acknowledged = acknowledged(context.channel)
    guard var progress else {
      return ReadingProgress(acknowledged: acknowledged, time: now, readingEnd: now + Self.patience)
    }
    guard acknowledged > progress.acknowledged else { return progress }
    let earned = 1000 * (acknowledged - progress.acknowledged) / Self.lowestReadingRate
    progress.readingEnd = min(
      now + stall,
      max(now - Self.checkPause, progress.readingEnd)
        + .milliseconds(Int64(min(earned, 1_000_000))))
    (progress.acknowledged, progress.time) = (acknowledged, now)
    return progress
  }

  private func cancelTimers() {
    timer?.cancel()
    check?.cancel()
  }

  /// The lowest rate at which an asset may be uploaded, in bytes per second.
  private static let uploadRate = 65_536

  /// The time that a request has for the bytes of an asset, in addition to the limit of any body.
  private static func uploadTime(_ head: HTTPRequest) -> TimeAmount {
    guard head.path?.hasPrefix(RecordService.uploadPath) == true else { return .zero }
    let bytes = head.headerFields[.contentLength].flatMap { Int($0) } ?? Limits.assetBytes
    return .seconds(Int64(min(max(0, bytes), Limits.assetBytes) / uploadRate))
  }

  /// Starts the time limit for the next request's head.
  private func awaitHead(_ context: ChannelHandlerContext) {
    schedule(context, in: requestsReceived == 0 ? firstHead : head) { $0.close(promise: nil) }
  }

  private func schedule(
    _ context: ChannelHandlerContext, in time: TimeAmount,
    _ action: @escaping (ChannelHandlerContext) -> Void
  ) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { action(context) }
  }
}

/// A channel handler that changes the heads of some requests:
///
/// - It adds `Connection: close` to the requests after which the connection ends. Clients express
///   that in several ways, and HTTP/1.0 clients by sending no `Connection` header.
/// - It joins several `Host` headers to one, which names no host, so that the request is refused
///   (RFC 9112, 3.2). Otherwise the codec would use the first one.
private final class HeadNormalizer: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    let hosts = head.headers["Host"]
    if head.isKeepAlive, hosts.count <= 1 { return context.fireChannelRead(data) }
    if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    if hosts.count > 1 {
      head.headers.replaceOrAdd(name: "Host", value: hosts.joined(separator: ", "))
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

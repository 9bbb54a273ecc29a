import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct ConnectionTableTests {
  private let here = ClientAddress("192.0.2.1")
  private let there = ClientAddress("198.51.100.1")

  /// Adds connections, and returns those that got a place.
  private func add(
    _ count: Int, to table: ConnectionTable, of address: ClientAddress?
  ) -> [EmbeddedChannel] {
    (0..<count).compactMap { _ in
      let channel = EmbeddedChannel()
      try? channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
      return table.add(channel, of: address) ? channel : nil
    }
  }

  @Test func aConnectionIsOpenUntilItsClientSendsNothingMore() {
    let table = ConnectionTable(limit: 10, share: 2)
    let channels = add(3, to: table, of: here)
    // The third connection has replaced the first one.
    #expect(channels.map(table.isOpen) == [false, true, true])
    table.inputClosed(channels[1])
    table.remove(channels[2])
    #expect(channels.map(table.isOpen) == [false, false, false])
    #expect(add(1, to: table, of: here).map(table.isOpen) == [true])
  }

  /// A client that gets a byte for each part of a response.
  private final class Client: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer
    var reads = true

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      context.write(wrapOutboundOut(ByteBuffer(string: "x")), promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
      if reads { context.flush() }
    }
  }

  /// A connection with the handler that reports to the table. The table has no place for another
  /// connection.
  private struct Connected {
    let table = ConnectionTable(limit: 1, share: 1)
    let client = Client()
    /// The number of bytes that the client has acknowledged.
    let acknowledged = NIOLockedValueBox<UInt64>(0)
    let channel: EmbeddedChannel

    init(stall: TimeAmount = .seconds(1)) throws {
      let deadlines = RequestDeadlines(
        firstHead: .seconds(1), head: .seconds(1), body: .seconds(1), stall: stall,
        connections: table, limitedAddress: { _ in nil }, onDisconnect: { _, _ in },
        acknowledged: { [acknowledged] _ in acknowledged.withLockedValue { $0 } })
      channel = EmbeddedChannel(handlers: [client, deadlines])
      try channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
    }

    func askHead() throws {
      try channel.writeInbound(
        HTTPRequestPart.head(
          HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")))
    }

    /// Sends a part of a body.
    func send(_ size: Int) throws {
      try channel.writeInbound(
        HTTPRequestPart.body(ByteBuffer(repeating: 0, count: size)))
    }

    func ask() throws {
      try askHead()
      try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    func answer() throws {
      try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
      try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// Begins to answer a client that reads nothing.
    func answerUnread() {
      client.reads = false
      channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
    }

    /// Sets whether there is room for more parts of a response.
    func setWritable(_ isWritable: Bool) {
      channel.isWritable = isWritable
      channel.pipeline.fireChannelWritabilityChanged()
    }

    func acknowledge(_ bytes: UInt64) { acknowledged.withLockedValue { $0 += bytes } }

    func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    /// Whether another connection takes the place of this one.
    func givesWay() -> Bool { table.add(EmbeddedChannel(), of: nil) }
  }

  /// The server waits for the rest of a request as soon as it has answered the requests before it.
  @Test(arguments: [1, 2]) func aConnectionWithAPartOfARequestGivesWay(answers: Int) throws {
    let connected = try Connected()
    try connected.ask()
    try connected.askHead()
    #expect(!connected.givesWay())
    // A request can be answered before its body has arrived.
    for _ in 0..<answers { try connected.answer() }
    #expect(connected.givesWay())
    #expect(!connected.channel.isActive)
  }

  @Test func aConnectionWhoseClientDoesNotReadGivesWay() throws {
    let connected = try Connected(stall: .seconds(30))
    try connected.ask()
    try connected.ask()
    connected.answerUnread()
    connected.wait(5)
    #expect(!connected.givesWay())
    connected.wait(1)
    // When the client has read the response after all, the server answers the second request.
    connected.client.reads = true
    connected.channel.flush()
    #expect(!connected.givesWay())
    connected.answerUnread()
    connected.wait(6)
    #expect(connected.givesWay())
    // The server does not wait for the client any longer.
    #expect(!connected.channel.isActive)
  }

  /// NIO closes the whole channel if the client has closed its sending side, too.
  @Test func theSendingSideIsClosedAfterTheResponse() throws {
    let connected = try Connected()
    try connected.ask()
    connected.answerUnread()
    connected.channel.close(mode: .output, promise: nil)
    #expect(connected.channel.isActive)
    connected.client.reads = true
    connected.channel.flush()
    #expect(!connected.channel.isActive)
  }

  @Test func aResponseThatIsNotReadEndsTheConnection() throws {
    let connected = try Connected(stall: .seconds(30))
    try connected.ask()
    connected.answerUnread()
    connected.wait(30)
    #expect(connected.channel.isActive)
    connected.wait(1)
    #expect(!connected.channel.isActive)
  }

  /// The parts of a large response are written as fast as the client reads them.
  @Test func aSlowDownloadGoesOn() throws {
    let connected = try Connected(stall: .seconds(30))
    try connected.ask()
    connected.setWritable(false)
    connected.wait(1)
    // 16 kB a second, but not evenly.
    for _ in 0..<10 {
      connected.wait(4)
      connected.acknowledge(65_536)
      #expect(!connected.givesWay())
    }
    connected.wait(6)
    connected.setWritable(true)
    connected.wait(1)
    #expect(!connected.givesWay(), "the server makes the rest of the response")
    connected.setWritable(false)
    connected.wait(32)
    #expect(!connected.channel.isActive)
  }

  /// A client must not keep a place by reading a few bytes now and then.
  @Test func aDownloadThatHardlyGoesOnGivesWay() throws {
    let connected = try Connected(stall: .seconds(30))
    try connected.ask()
    connected.setWritable(false)
    connected.wait(1)
    connected.acknowledge(1_000_000)
    for _ in 0..<60 {
      connected.wait(1)
      connected.acknowledge(500)
    }
    #expect(connected.channel.isActive)
    #expect(connected.givesWay())
  }

  @Test func aClientThatSendsManyRequestsAheadLosesItsConnection() throws {
    let connected = try Connected()
    for _ in 0..<100 {
      try connected.ask()
      try connected.answer()
    }
    for _ in 0..<16 { try connected.ask() }
    #expect(connected.channel.isActive)
    try connected.ask()
    #expect(!connected.channel.isActive)
    var parts = 0
    while try connected.channel.readInbound(as: HTTPRequestPart.self) != nil { parts += 1 }
    #expect(parts == 2 * 116, "nothing of the last request is passed on")
  }

  @Test(arguments: [(1, false), (63, false), (64, true)])
  func aClientThatSendsTinyPartsOfABodyLosesItsConnection(size: Int, isAllowed: Bool) throws {
    let connected = try Connected()
    for _ in 0..<3 {
      try connected.askHead()
      for _ in 0..<128 { try connected.send(size) }
      try connected.channel.writeInbound(HTTPRequestPart.end(nil))
      try connected.answer()
    }
    #expect(connected.channel.isActive, "the first ones are free")
    try connected.askHead()
    for _ in 0..<10_000 { try connected.send(size) }
    #expect(connected.channel.isActive == isAllowed)
  }

  @Test func theEndOfTheServiceEndsConnections() throws {
    let connected = try Connected()
    #expect(!connected.table.isEnding(connected.channel))
    connected.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(connected.table.isEnding(connected.channel))
  }

  /// A client can send its next request before it has received a response.
  @Test func aConnectionIsBusyUntilTheLastOfItsRequestsIsAnswered() throws {
    let connected = try Connected()
    let (table, channel) = (connected.table, connected.channel)
    for _ in 0..<2 { try connected.ask() }
    try connected.answer()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    #expect(!table.add(EmbeddedChannel(), of: nil))
    try connected.answer()
    // The client now has one second to send its next request.
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(table.add(EmbeddedChannel(), of: nil))
  }

  @Test func anAddressHasAShare() {
    let table = ConnectionTable(limit: 10, share: 3)
    let mine = add(5, to: table, of: here)
    // Each further connection replaces the one that has been idle for the longest time.
    #expect(mine.map(\.isActive) == [false, false, true, true, true])
    let others = add(3, to: table, of: there)
    #expect(others.allSatisfy { $0.isActive })
    #expect(mine.suffix(3).allSatisfy { $0.isActive })
  }

  @Test func anIPv6NetworkHasOneShare() {
    let table = ConnectionTable(limit: 10, share: 2)
    let channels = ["2001:db8::1", "2001:db8::2", "2001:db8::3:1", "2001:db8:0:1::1"].flatMap {
      add(1, to: table, of: ClientAddress($0))
    }
    #expect(channels.map(\.isActive) == [false, true, true, true])
  }

  @Test func theLongestIdleConnectionGivesWay() {
    let table = ConnectionTable(limit: 3, share: 3)
    let first = add(3, to: table, of: here)
    table.becomeIdle(first[0])
    _ = add(1, to: table, of: there)
    #expect(first.map(\.isActive) == [true, false, true])
  }

  @Test func aReplacedConnectionHasToEnd() throws {
    let table = ConnectionTable(limit: 2, share: 1)
    let channel = try #require(add(1, to: table, of: here).first)
    _ = add(1, to: table, of: there)
    #expect(!table.isEnding(channel))
    _ = add(1, to: table, of: here)
    #expect(table.isEnding(channel))
    #expect(!channel.isActive)
  }

  @Test func connectionsWithARequestStay() {
    let table = ConnectionTable(limit: 3, share: 2)
    let mine = add(2, to: table, of: here)
    for channel in mine { table.becomeBusy(channel) }
    #expect(add(1, to: table, of: here).isEmpty, "the share is used up")
    let other = add(1, to: table, of: there)
    table.becomeBusy(other[0])
    #expect(add(1, to: table, of: ClientAddress("203.0.113.1")).isEmpty, "all are used up")
    table.becomeIdle(mine[1])
    #expect(add(1, to: table, of: ClientAddress("203.0.113.1")).count == 1)
    #expect((mine + other).map(\.isActive) == [true, false, true])
  }

  @Test func aClosedConnectionMakesRoom() {
    let table = ConnectionTable(limit: 2, share: 1)
    let mine = add(1, to: table, of: here)
    table.becomeBusy(mine[0])
    #expect(add(1, to: table, of: here).isEmpty)
    table.remove(mine[0])
    #expect(add(1, to: table, of: here).count == 1)
  }

  @Test func proxiesHaveNoShare() {
    let table = ConnectionTable(limit: 5, share: 1)
    #expect(add(5, to: table, of: nil).allSatisfy { $0.isActive })
  }

  @Test(.timeLimit(.minutes(1))) func connectionsWithoutARequestAreClosed() async throws {
    try await WebFixture.run {
      $0.web.firstHeadSeconds = 1
      $0.web.headSeconds = 120
    } _: { web in
      let silent = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: web.port).get()
      try await silent.closeFuture.get()
    }
  }
}

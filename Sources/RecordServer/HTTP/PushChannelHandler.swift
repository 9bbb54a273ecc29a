import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore

/// The handler of long polls. It responds with one notification, or with an empty body if there is
/// none in time.
///
/// Thousands of polls can wait at the same time, so a waiting poll must take little memory: the
/// handler is a class, because each poll would otherwise hold copies of it.
final class PushChannelHandler: Sendable {
  private let accountService: AccountService
  private let push: LongPollHub
  private let connections: ConnectionTable
  private let limits: RateLimits
  private let origin: RequestOrigin

  init(
    accountService: AccountService, push: LongPollHub, connections: ConnectionTable,
    limits: RateLimits, origin: RequestOrigin
  ) {
    self.accountService = accountService
    self.push = push
    self.connections = connections
    self.limits = limits
    self.origin = origin
  }

  // A task keeps the memory that its deepest call needed. So the push channel is looked up in a
  // task of its own.
  func respond(to request: Request, _ context: HTTPContext) async throws -> Response {
    let poll = push.nextPollNumber()
    let pushChannel = try await Task { try await admitted(request, context) }.value
    let item = await push.next(
      of: pushChannel, for: poll, within: .seconds(origin.options.pollSeconds),
      over: ObjectIdentifier(context.channel),
      isOpen: { [connections, channel = context.channel] in connections.isOpen(channel) },
      on: context.channel.eventLoop)
    guard let item else { return Self.nothing }
    return try await response(item, of: pushChannel, context)
  }

  private static let nothing = Response.json(Data())

  /// Finds the push channel of the request's secret and charges the request.
  ///
  /// - Throws: NOT_FOUND if there is no such push channel; THROTTLED.
  private func admitted(
    _ request: Request, _ context: HTTPContext
  ) async throws -> PushChannel {
    guard let secret = context.parameters.get("secret"),
      let pushChannel = try await accountService.pushChannel(secret),
      try await push.add(pushChannel, ifAlive: accountService.isAlive)
    else {
      try limits.consume(by: .anonymous(origin.client(request, context)))
      throw ServiceError(.notFound, cause: .unknownPushChannel)
    }
    try limits.consume(by: .user(pushChannel.accountID))
    return pushChannel
  }

  /// Returns the response with a notification, or the error that notifications may have been lost:
  /// the client then fetches changes before it polls again. The item is put back if the client does
  /// not receive the response.
  @inline(never) private func response(
    _ item: NotificationQueue.Item, of pushChannel: PushChannel, _ context: HTTPContext
  ) async throws -> Response {
    let delivery = Delivery { [push] in push.putBack(item, to: pushChannel) }
    // The session can end while the poll waits.
    guard try await accountService.isAlive(pushChannel) else {
      push.remove(CollectionOfOne(pushChannel.id))
      throw ServiceError(.notFound, cause: .unknownPushChannel)
    }
    var response: Response
    if let notification = item.notification {
      response = Response.json(try Wire.encode(notification))
    } else {
      response = .failure(ServiceError(.tryAgainLater, cause: .lostNotifications), id: context.id)
    }
    response.body = ResponseBody(contentLength: response.body.contentLength) {
      [connections, body = response.body, channel = context.channel] writer in
      try await delivery.begin(on: channel, in: connections)
      try await body.write(writer)
    }
    return response
  }
}

/// The delivery of a notification, or of the error that some were lost, in one response. The
/// delivery fails if the client does not receive the response, or if the server discards the
/// response before it writes the body.
private final class Delivery: Sendable {
  private let onNotReceived: @Sendable () -> Void
  private let hasBegun = NIOLockedValueBox(false)

  /// - Parameter onNotReceived: called once if the delivery fails.
  init(onNotReceived: @escaping @Sendable () -> Void) {
    self.onNotReceived = onNotReceived
  }

  deinit {
    if !hasBegun.withLockedValue({ $0 }) { onNotReceived() }
  }

  /// Called before the body is written. From then on, `ResponseReceipt` finds out whether the
  /// client receives the response.
  ///
  /// - Throws: an error if the channel is closed.
  func begin(on channel: any Channel, in connections: ConnectionTable) async throws {
    try await ResponseReceipt.add(to: channel, in: connections, onNotReceived: onNotReceived)
    hasBegun.withLockedValue { $0 = true }
  }
}

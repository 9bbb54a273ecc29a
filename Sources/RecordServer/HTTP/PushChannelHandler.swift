import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird
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

  // A task keeps the memory that its deepest call needed. So the push channel is looked up in a task
  // of its own.
  func respond(to request: Request, _ context: HTTPContext) async throws -> Response {
    let pushChannel = try await Task { try await admitted(request, context) }.value
    let item = await push.next(
      of: pushChannel, within: .seconds(origin.options.pollSeconds),
      for: ObjectIdentifier(context.channel),
      isOpen: { [connections, channel = context.channel] in connections.isOpen(channel) },
      on: context.channel.eventLoop)
    guard let item else { return Self.nothing }
    return try await answer(item, of: pushChannel, on: context.channel)
  }

  private static let nothing = Response.json(Data())

  /// Finds the push channel of the request's secret and charges the request.
  ///
  /// - Throws: NOT_FOUND if there is no such push channel; TRY_AGAIN_LATER if its notifications were
  ///   lost, so that the client fetches changes before it waits; THROTTLED.
  private func admitted(
    _ request: Request, _ context: HTTPContext
  ) async throws -> PushChannel {
    guard let secret = context.parameters.get("secret"),
      let pushChannel = try await accountService.pushChannel(secret),
      try await push.add(pushChannel, ifAlive: accountService.isAlive)
    else {
      try limits.take(by: .anonymous(origin.client(request, context)))
      throw ServiceError(.notFound, cause: .unknownPushChannel)
    }
    try limits.take(by: .user(pushChannel.accountID))
    // A client that has gone would not read it, so it waits for the next poll.
    if connections.isOpen(context.channel), push.takeLoss(of: pushChannel) {
      throw ServiceError(.tryAgainLater, cause: .lostNotifications)
    }
    return pushChannel
  }

  /// Returns the response with a notification, which leaves the queue when the response has been
  /// written.
  @inline(never) private func answer(
    _ item: NotificationQueue.Item, of pushChannel: PushChannel, on channel: any Channel
  ) async throws -> Response {
    // The session can end while the poll waits.
    guard try await accountService.isAlive(pushChannel) else {
      push.remove(CollectionOfOne(pushChannel.id))
      throw ServiceError(.notFound, cause: .unknownPushChannel)
    }
    let body = try Wire.encode(item.notification)
    return .json(
      ResponseBody(contentLength: body.count) { [push, connections] writer in
        // Before the response is written: a client may close the connection as soon as it has read it.
        let isClientThere = connections.isOpen(channel)
        try await writer.write(ByteBuffer(bytes: body))
        try await writer.finish(nil)
        if isClientThere { await push.remove(item, from: pushChannel.id) }
      })
  }
}

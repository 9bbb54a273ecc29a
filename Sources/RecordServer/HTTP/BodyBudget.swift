import CloudRecords
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// A limit on how many bytes of bodies are held in memory at the same time: of requests that are
/// received and carried out, or of responses that are not written yet.
final class BodyBudget: Sendable {
  /// The limit for request bodies: four of the maximum size, or dozens of the size that clients
  /// usually send. A decoded body takes many times its size.
  static let requestBytes = 4 * Limits.requestBytes
  /// The limit for response bodies: 64 pages. TLS can hold an encrypted copy of each.
  static let responseBytes = 64 * Limits.pageBytes
  /// The size in bytes up to which a response needs no claim. A connection buffers more than that.
  static let smallResponse = 16_384

  /// The limits in bytes: of all bodies; of one client, so that no client can use the whole budget;
  /// and of all anonymous clients together, so that they cannot block signed-in users.
  private let limits: (all: Int, share: Int, anonymous: Int)
  /// The cause in the error if the budget is exhausted.
  private let cause: ErrorCause
  private let used = NIOLockedValueBox(Used())

  /// A body whose bytes are counted.
  private struct Body {
    let requester: RateLimits.Requester
    var bytes = 0
    /// Closes the connection of a response, which frees its memory. It is nil for a body that must
    /// not be given up.
    var close: (@Sendable () -> Void)?
  }

  private struct Used {
    var bytes = 0
    var anonymousBytes = 0
    var byRequester: [RateLimits.Requester: Int] = [:]
    /// The bodies by number. A later body has a higher number.
    var bodies: [Int: Body] = [:]
    var lastNumber = 0

    mutating func add(_ count: Int, to number: Int) {
      guard let requester = bodies[number]?.requester else { return }
      bodies[number]?.bytes += count
      bytes += count
      if !requester.isSignedIn { anonymousBytes += count }
      let share = byRequester[requester, default: 0] + count
      byRequester[requester] = share == 0 ? nil : share
    }

    mutating func remove(_ number: Int) {
      add(-(bodies[number]?.bytes ?? 0), to: number)
      bodies[number] = nil
    }

    /// Removes the oldest response of the client whose bodies take the most bytes.
    ///
    /// - Parameters:
    ///   - limit: The client's bodies must take more bytes than this.
    ///   - anonymous: Whether only anonymous clients are considered.
    /// - Returns: What closes the connection of the response; nil if there is none to remove.
    mutating func removeResponse(
      ofMoreThan limit: Int, anonymous: Bool
    ) -> (@Sendable () -> Void)? {
      var found: (share: Int, number: Int, close: @Sendable () -> Void)?
      for (number, body) in bodies where !(anonymous && body.requester.isSignedIn) {
        guard let close = body.close, let share = byRequester[body.requester] else { continue }
        if let found, (found.share, -found.number) > (share, -number) { continue }
        found = (share, number, close)
      }
      guard let found, found.share > limit else { return nil }
      remove(found.number)
      return found.close
    }
  }

  init(bytes: Int = BodyBudget.requestBytes, cause: ErrorCause = .tooManyLargeRequests) {
    limits = (bytes, bytes / 2, bytes / 4)
    self.cause = cause
  }

  /// Makes room for bytes of a client, and then changes what is used. If there is no room,
  /// responses of clients that take more than this one takes with these bytes are given up, because
  /// a slow client can hold its response for hours. An anonymous client gets only the room of
  /// anonymous ones. If that does not make enough room, nothing is given up.
  private func makeRoom(
    for count: Int, of requester: RateLimits.Requester,
    _ change: (inout Used) -> Void = { _ in }
  ) throws(ServiceError) {
    let isAnonymous = !requester.isSignedIn
    func isFull(_ used: Used) -> Bool {
      used.bytes + count > limits.all
        || isAnonymous && used.anonymousBytes + count > limits.anonymous
    }
    let closes = used.withLockedValue { used -> [@Sendable () -> Void]? in
      let share = used.byRequester[requester, default: 0] + count
      guard share <= limits.share else { return nil }
      var closes: [@Sendable () -> Void] = []
      if isFull(used) {
        var rest = used
        while isFull(rest) {
          guard let close = rest.removeResponse(ofMoreThan: share, anonymous: isAnonymous) else {
            return nil
          }
          closes.append(close)
        }
        used = rest
      }
      change(&used)
      return closes
    }
    guard let closes else { throw ServiceError(.tryAgainLater, cause: cause, retryAfter: 1) }
    for close in closes { close() }
  }

  /// The bytes of one body. They are released when the claim is deallocated.
  final class Claim: Sendable {
    private let budget: BodyBudget
    private let requester: RateLimits.Requester
    private let number: Int

    fileprivate init(_ budget: BodyBudget, _ requester: RateLimits.Requester) {
      self.budget = budget
      self.requester = requester
      number = budget.used.withLockedValue { used in
        used.lastNumber += 1
        used.bodies[used.lastNumber] = Body(requester: requester)
        return used.lastNumber
      }
    }

    /// Counts bytes if there is room for them. Bytes of a request that are only announced by
    /// `Content-Length` are not counted, so that a client cannot reserve memory without sending
    /// anything.
    ///
    /// - Throws: TRY_AGAIN_LATER if the budget is exhausted.
    func grow(by count: Int) throws(ServiceError) {
      try budget.makeRoom(for: count, of: requester) { $0.add(count, to: number) }
    }

    /// Makes room for bytes as `grow` does, but does not count them yet.
    ///
    /// - Throws: TRY_AGAIN_LATER if the budget is exhausted.
    func requireRoom(for count: Int) throws(ServiceError) {
      try budget.makeRoom(for: count, of: requester)
    }

    /// Counts bytes even if the budget is exhausted.
    func add(_ count: Int) { budget.used.withLockedValue { $0.add(count, to: number) } }

    /// Allows that the response is given up if a client that takes less needs the room.
    ///
    /// - Parameter close: Closes the connection immediately.
    func allowGivingUp(_ close: @escaping @Sendable () -> Void) {
      budget.used.withLockedValue { $0.bodies[number]?.close = close }
    }

    deinit { budget.used.withLockedValue { $0.remove(number) } }
  }

  /// Returns an empty claim for a body.
  func claim(for requester: RateLimits.Requester) -> Claim { Claim(self, requester) }
}

import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import RecordClient

struct SignInCallbackTests {
  private static let page = SignInCallback.Page(
    title: "Đã <đăng> nhập", sentence: "\"Đóng\" & 'trở lại'", language: "vi")

  /// A callback, and a task that waits for its token.
  private struct Waiting {
    let callback: SignInCallback
    let clock = ManualClock()
    let token: Task<Result<String, SignInProblem>, Never>
    let port: Int
    let path: String

    init() async throws {
      let callback = try await SignInCallback(page: SignInCallbackTests.page, clock: clock)
      self.callback = callback
      token = Task {
        do throws(SignInProblem) { return .success(try await callback.token()) } catch {
          return .failure(error)
        }
      }
      let parts = callback.callbackURL.split(separator: "/")
      port = Int(parts[1].split(separator: ":")[1])!
      path = "/" + parts[2]
    }

    /// Sends a request, and reads until the end of the connection.
    func send(_ line: String, host: String? = nil) async throws -> String {
      let host = host ?? "127.0.0.1:\(port)"
      return try await exchange(port, "\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }
  }

  @Test func theURLIsLocalAndCannotBeGuessed() async throws {
    let first = try await Waiting()
    let second = try await Waiting()
    #expect(first.callback.isListening)
    for waiting in [first, second] {
      #expect(waiting.callback.callbackURL == "http://127.0.0.1:\(waiting.port)\(waiting.path)")
      // 128 bits, six in each character.
      #expect(waiting.path.count == 1 + 22)
      #expect(
        waiting.path.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) })
      await waiting.callback.close()
      #expect(await waiting.token.value == .failure(.closed))
    }
    #expect(first.path != second.path)
  }

  /// All users of the machine can see the arguments of the browser process.
  @Test func theBrowserIsRedirectedToThePageOnce() async throws {
    let waiting = try await Waiting()
    let page = "https://records.example.org/sign-in?ckAPIToken=abc"
    let url = waiting.callback.redirectURL(to: page)
    let path = "/" + url.split(separator: "/")[2]
    #expect(url == "http://127.0.0.1:\(waiting.port)\(path)")
    #expect(path != waiting.path)
    for line in ["GET \(path)?x=1", "POST \(path)", "GET \(path)x"] {
      #expect(try await waiting.send(line).hasPrefix("HTTP/1.1 404"), "\(line)")
    }
    #expect(
      try await waiting.send("GET \(path)", host: "evil.example").hasPrefix("HTTP/1.1 404"))
    let answer = try await waiting.send("GET \(path)")
    #expect(answer.hasPrefix("HTTP/1.1 303"))
    #expect(answer.contains("Location: \(page)\r\n"))
    #expect(answer.contains("Referrer-Policy: no-referrer"))
    #expect(try await waiting.send("GET \(path)").hasPrefix("HTTP/1.1 404"))
    await waiting.callback.close()
    #expect(await waiting.token.value == .failure(.closed))
  }

  @Test(arguments: [
    ("ckWebAuthToken=106__54__ab%2B%2F%3D", "106__54__ab+/="),
    ("ckWebAuthToken=ab+c", "ab+c"), ("ckWebAuthToken=ab%20c", "ab+c"), ("ckSession=s", "s"),
    ("x=1&ckSession=s", "s"), ("ckSession=s&ckWebAuthToken=t", "t"),
  ])
  func theTokenIsReadFromTheQuery(_ query: String, _ token: String) async throws {
    let waiting = try await Waiting()
    let answer = try await waiting.send("GET \(waiting.path)?\(query)")
    #expect(await waiting.token.value == .success(token))
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func thePageIsEscapedAndHasSecurityHeaders() async throws {
    let waiting = try await Waiting()
    let answer = try await waiting.send("GET \(waiting.path)?ckWebAuthToken=TOKEN")
    _ = await waiting.token.value
    let headers = answer.lowercased()
    for header in [
      "content-type: text/html; charset=utf-8", "cache-control: no-store",
      "referrer-policy: no-referrer", "content-security-policy: default-src 'none'",
      "x-content-type-options: nosniff", "connection: close",
    ] {
      #expect(headers.contains("\r\n\(header)\r\n"))
    }
    #expect(answer.contains("<html lang=\"vi\">"))
    #expect(answer.contains("<h1>Đã &lt;đăng&gt; nhập</h1>"))
    #expect(answer.contains("<p>&quot;Đóng&quot; &amp; &#39;trở lại&#39;</p>"))
    #expect(!answer.contains("TOKEN"))
  }

  @Test func otherRequestsAreNotFoundAndDoNotEndTheWait() async throws {
    let waiting = try await Waiting()
    let good = "\(waiting.path)?ckWebAuthToken=t"
    for line in [
      "GET /", "GET /favicon.ico", "GET \(good.dropLast(20))", "GET /x\(good)",
      "GET \(waiting.path)/?ckWebAuthToken=t", "GET \(waiting.path.lowercased() + "x")",
      "POST \(good)", "HEAD \(good)", "PUT \(good)", "OPTIONS \(good)",
      "GET http://127.0.0.1:\(waiting.port)\(good)",
    ] {
      #expect(try await waiting.send(line).hasPrefix("HTTP/1.1 404 "), "\(line)")
    }
    for host in ["evil.example:\(waiting.port)", "127.0.0.1", "localhost:\(waiting.port)", ""] {
      #expect(try await waiting.send("GET \(good)", host: host).hasPrefix("HTTP/1.1 404 "))
    }
    _ = try await waiting.send("GET \(good)")
    #expect(await waiting.token.value == .success("t"))
  }

  @Test(arguments: [
    "", "?", "?x=1", "?ckWebAuthToken=", "?ckWebAuthToken=%00", "?ckWebAuthToken=a%0Ab",
    "?ckWebAuthToken=%zz", "?ckWebAuthToken=%E1%BB%87",
    "?ckWebAuthToken=" + String(repeating: "a", count: 4097),
  ])
  func invalidTokensAreBadRequestsAndDoNotEndTheWait(_ query: String) async throws {
    let waiting = try await Waiting()
    let answer = try await waiting.send("GET \(waiting.path)\(query)")
    #expect(answer.hasPrefix("HTTP/1.1 400 "))
    #expect(answer.contains("Cache-Control: no-store"))
    _ = try await waiting.send("GET \(waiting.path)?ckSession=s")
    #expect(await waiting.token.value == .success("s"))
  }

  @Test func aRequestThatIsTooLongIsNotAnswered() async throws {
    let waiting = try await Waiting()
    let long = String(repeating: "a", count: 40 << 10)
    let answer = try? await waiting.send("GET \(waiting.path)?ckWebAuthToken=\(long)")
    #expect(answer == nil || answer?.isEmpty == true)
    _ = try await waiting.send("GET \(waiting.path)?ckSession=s")
    #expect(await waiting.token.value == .success("s"))
  }

  @Test func theCallbackAcceptsOneToken() async throws {
    let waiting = try await Waiting()
    _ = try await waiting.send("GET \(waiting.path)?ckSession=s")
    #expect(await waiting.token.value == .success("s"))
    #expect(!waiting.callback.isListening)
    // Another test may have got the port meanwhile.
    let second = try? await waiting.send("GET \(waiting.path)?ckSession=s")
    #expect(second?.contains("đăng") != true)
    await #expect(throws: SignInProblem.closed) { try await waiting.callback.token() }
  }

  @Test func theTokenMayArriveBeforeItIsAwaited() async throws {
    let callback = try await SignInCallback(page: Self.page)
    let parts = callback.callbackURL.split(separator: "/")
    let port = Int(parts[1].split(separator: ":")[1])!
    _ = try await exchange(
      port, "GET /\(parts[2])?ckSession=s HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    #expect(try await callback.token() == "s")
  }

  @Test func theCallbackTimesOutAfterFiveMinutes() async throws {
    let waiting = try await Waiting()
    await waiting.clock.waits(for: 1)
    waiting.clock.advance(by: .seconds(299))
    #expect(waiting.clock.sleeping == 1)
    waiting.clock.advance(by: .seconds(1))
    #expect(await waiting.token.value == .failure(.timedOut))
    #expect(!waiting.callback.isListening)
  }

  @Test func theCallbackEndsWhenItIsCancelled() async throws {
    let waiting = try await Waiting()
    await waiting.clock.waits(for: 1)
    waiting.token.cancel()
    #expect(await waiting.token.value == .failure(.cancelled))
    #expect(!waiting.callback.isListening)
  }

  @Test func aTaskThatIsAlreadyCancelledDoesNotWait() async throws {
    let callback = try await SignInCallback(page: Self.page)
    let gate = Gate()
    let task = Task { () -> SignInProblem? in
      await gate.wait()
      do throws(SignInProblem) {
        _ = try await callback.token()
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    gate.open()
    #expect(await task.value == .cancelled)
  }

  @Test func aTimeoutOfZeroIsATimeout() async throws {
    let callback = try await SignInCallback(page: Self.page)
    await #expect(throws: SignInProblem.timedOut) { try await callback.token(timeout: .zero) }
  }
}

/// Connections of other local processes.
@Suite struct LoopbackServerTests {
  @Test(.timeLimit(.minutes(1))) func silentConnectionsDoNotBlockOthers() async throws {
    let server = try await LoopbackServer(
      maximumHeadBytes: 1000, connectionTimeout: .milliseconds(100),
      respond: { _, _ in LoopbackServer.Response(bytes: Data("answer".utf8)) })
    let silent = try await withThrowingTaskGroup { group in
      for _ in 0..<2 * LoopbackServer.maximumConnections {
        group.addTask {
          try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: server.port).get()
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(try await exchange(server.port, "GET / HTTP/1.1\r\n\r\n") == "answer")
    for channel in silent { try? await channel.close() }
    await server.close()
  }

  @Test func aHeadHasAtMostTheGivenSize() async throws {
    let server = try await LoopbackServer(
      maximumHeadBytes: 100,
      respond: { _, _ in LoopbackServer.Response(bytes: Data("answer".utf8)) })
    func head(_ count: Int) -> String {
      let line = "GET / HTTP/1.1\r\nA: "
      return line + String(repeating: "a", count: count - line.utf8.count - 4) + "\r\n\r\n"
    }
    #expect(try await exchange(server.port, head(100)) == "answer")
    // The connection can be reset, because the server does not read the rest.
    #expect((try? await exchange(server.port, head(101))) ?? "" == "")
    await server.close()
  }

  /// The browser may reset the connection after its request, which can contain the token.
  @Test func aResponseThatCannotBeWrittenIsReported() async throws {
    let client = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let (requests, requested) = AsyncStream<Void>.makeStream()
    let (reports, reported) = AsyncStream<Void>.makeStream()
    let server = try await LoopbackServer(
      maximumHeadBytes: 1000,
      respond: { _, _ in
        // Closing a socket with a linger time of 0 resets its connection.
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(client)
        requested.finish()
        return LoopbackServer.Response(bytes: Data("answer".utf8)) { reported.yield() }
      })
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(server.port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    let head = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    #expect(send(client, head, head.count, 0) == head.count)
    for await _ in requests {}
    await server.close()
    reported.finish()
    #expect(await reports.reduce(0) { count, _ in count + 1 } == 1)
  }

  @Test func theEndOfTheServerIsReported() async throws {
    let (ends, ended) = AsyncStream<Void>.makeStream()
    let server = try await LoopbackServer(
      maximumHeadBytes: 1000, onEnd: { ended.finish() }, respond: { _, _ in nil })
    await server.close()
    for await _ in ends {}
    #expect(!server.isListening)
  }
}

/// Sends a string to a local port, and reads until the end of the connection.
private func exchange(_ port: Int, _ text: String) async throws -> String {
  let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .connect(host: "127.0.0.1", port: port) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
  return try await channel.executeThenClose { inbound, outbound in
    try await outbound.write(ByteBuffer(string: text))
    var answer = ""
    for try await part in inbound { answer += String(buffer: part) }
    return answer
  }
}

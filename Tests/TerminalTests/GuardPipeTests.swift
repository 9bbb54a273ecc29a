import CCurses
import Glibc
import Testing

/// The pipe into which signal handlers and other threads write, to wake the reader.
struct GuardPipeTests {
  @Test func writingDoesNotBlockIfThePipeIsFull() throws {
    var ends: [Int32] = [-1, -1]
    try #require(guard_pipe(&ends))
    defer { for end in ends { close(end) } }
    var byte: UInt8 = 0
    while write(ends[1], &byte, 1) == 1 {}
    #expect(errno == EAGAIN)
    while read(ends[0], &byte, 1) == 1 {}
    #expect(errno == EAGAIN)
    #expect(ends.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
  }
}

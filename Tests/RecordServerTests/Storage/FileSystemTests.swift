import Glibc
import Testing

@testable import RecordServer

struct FileSystemTests {
  private func pipe() throws -> [Int32] {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    return ends
  }

  /// The first write fills the pipe, which is not an error; the second one fails.
  @Test func errnoIsThatOfTheFailedWrite() throws {
    let ends = try pipe()
    defer { for end in ends { close(end) } }
    try #require(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    errno = ENOENT
    #expect(!writeAll([UInt8](repeating: 1, count: 4 << 20), to: ends[1]))
    #expect(errno == EAGAIN)
  }

  @Test func everythingIsWritten() throws {
    let ends = try pipe()
    defer { for end in ends { close(end) } }
    #expect(writeAll([1, 2, 3], to: ends[1]))
    #expect(writeAll([], to: ends[1]))
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(read(ends[0], &bytes, 10) == 3)
    #expect(bytes.prefix(3) == [1, 2, 3])
  }
}

import Glibc

/// Appends to `bytes` what can be read from a descriptor now: at most 64 KiB.
///
/// - Returns: Whether more may follow; false at the end of the stream and after an error.
public func readAvailable(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
  withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return true
  }
}

/// Waits until one of the descriptors has an event, or the time is over.
///
/// - Returns: The events that poll(2) reported for each, in order.
@discardableResult
public func waitForEvents(
  _ wanted: [(descriptor: Int32, events: Int32)], milliseconds: Int32
) -> [Int32] {
  var set = wanted.map {
    pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0)
  }
  while Glibc.poll(&set, nfds_t(set.count), milliseconds) < 0, errno == EINTR {}
  return set.map { Int32($0.revents) }
}

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

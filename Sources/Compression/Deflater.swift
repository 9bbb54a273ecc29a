import CZlib

/// Compresses bytes as gzip (RFC 1952).
public enum Deflater {
  /// Returns compressed bytes, at zlib's fastest level.
  ///
  /// Besides the result, which grows in steps of 64 KiB, this takes about 256 KiB of memory.
  ///
  /// - Returns: nil if the bytes do not become fewer, if they are 4 GiB or more, or if there is no
  ///   memory.
  public static func gzip(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    bytes.withContiguousStorageIfAvailable(gzip) ?? Array(bytes).withUnsafeBufferPointer(gzip)
  }

  private static func gzip(_ input: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let count = UInt32(exactly: input.count) else { return nil }
    // zlib stores the address of the stream, so it must not change.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    guard zlib_begin_gzip(stream, Z_BEST_SPEED) == Z_OK else { return nil }
    defer { deflateEnd(stream) }

    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    stream.pointee.avail_in = count
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let (status, produced) = chunk.withUnsafeMutableBufferPointer { chunk in
        stream.pointee.next_out = chunk.baseAddress
        stream.pointee.avail_out = UInt32(chunk.count)
        let status = deflate(stream, Z_FINISH)
        return (status, chunk.count - Int(stream.pointee.avail_out))
      }
      output += chunk[..<produced]
      guard output.count < input.count else { return nil }
      switch status {
      case Z_STREAM_END: return output
      case Z_OK where produced > 0: continue
      default: return nil
      }
    }
  }
}

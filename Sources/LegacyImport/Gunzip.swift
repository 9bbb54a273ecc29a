import CZlib

/// Decompresses gzip (RFC 1952) of one or more members.
enum Gunzip {
  /// Whether the bytes begin like gzip.
  static func hasSignature(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Decompresses all members.
  ///
  /// - Throws: `damaged`, or `tooLargeUnpacked` as soon as the output exceeds `Budget.bytes` or the
  ///   rest of the budget.
  static func unpack(
    _ bytes: [UInt8], _ budget: inout Budget
  ) throws(LegacyFailure) -> [UInt8] {
    // zlib stores the address of the stream, so it must not change.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    guard zlib_begin_gunzip(stream) == Z_OK else { throw .damaged(.gzip, offset: nil) }
    defer { inflateEnd(stream) }

    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var consumed = 0
    while true {
      let step = inflate(stream, bytes[consumed...], into: &chunk)
      consumed += step.consumed
      // Count the input, too, because empty members produce no output.
      try budget.checkCancellation(after: step.consumed + 256)
      try budget.charge(unpacked: step.produced)
      output += chunk[..<step.produced]
      guard output.count <= Budget.bytes else { throw .tooLargeUnpacked(limit: Budget.bytes) }
      switch step.status {
      case Z_STREAM_END:
        guard consumed < bytes.count else { return output }
        // Only another member may follow.
        guard bytes[consumed...].starts(with: [0x1F, 0x8B]), inflateReset(stream) == Z_OK else {
          throw .damaged(.gzip, offset: consumed)
        }
      case Z_OK where step.consumed + step.produced > 0: continue
      default: throw .damaged(.gzip, offset: consumed)
      }
    }
  }

  private static func inflate(
    _ stream: UnsafeMutablePointer<z_stream>, _ input: ArraySlice<UInt8>, into chunk: inout [UInt8]
  ) -> (status: Int32, consumed: Int, produced: Int) {
    input.withUnsafeBufferPointer { input in
      chunk.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        return (
          status, input.count - Int(stream.pointee.avail_in),
          output.count - Int(stream.pointee.avail_out)
        )
      }
    }
  }
}

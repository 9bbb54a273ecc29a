import CZlib

/// Decompresses gzip (RFC 1952) and deflate (RFC 1951) with a limit for the output.
enum Inflater {
  /// Decompresses all members of a gzip file.
  ///
  /// - Parameter budget: The maximum size of the output in bytes. The actual size is subtracted.
  /// - Throws: `damagedArchive`, or `tooLargeUnpacked` as soon as the output exceeds the budget.
  static func gunzip(_ bytes: [UInt8], _ budget: inout Int) throws(EditionFailure) -> [UInt8] {
    try inflate(bytes[...], &budget, gzip: true)
  }

  /// Decompresses a deflate stream, which must end with the input.
  static func inflate(
    _ bytes: ArraySlice<UInt8>, _ budget: inout Int
  ) throws(EditionFailure) -> [UInt8] {
    try inflate(bytes, &budget, gzip: false)
  }

  private static func inflate(
    _ bytes: ArraySlice<UInt8>, _ budget: inout Int, gzip: Bool
  ) throws(EditionFailure) -> [UInt8] {
    // zlib stores the address of the stream, so it must not change.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    let status = gzip ? zlib_begin_gunzip(stream) : zlib_begin_inflate(stream)
    guard status == Z_OK else { throw .damagedArchive }
    defer { inflateEnd(stream) }

    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var rest = bytes
    while true {
      let step = step(stream, rest, into: &chunk)
      rest = rest.dropFirst(step.consumed)
      budget -= step.produced
      guard budget >= 0 else { throw .tooLargeUnpacked(limit: EditionFormat.byteLimit) }
      output += chunk[..<step.produced]
      switch step.status {
      case Z_STREAM_END:
        if rest.isEmpty { return output }
        // Only another member of gzip may follow. An empty one costs a byte of the budget, because
        // a file can have millions of them.
        guard gzip, rest.starts(with: [0x1F, 0x8B]), inflateReset(stream) == Z_OK else {
          throw .damagedArchive
        }
        budget -= 1
      case Z_OK where step.consumed + step.produced > 0: continue
      default: throw .damagedArchive
      }
    }
  }

  private static func step(
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

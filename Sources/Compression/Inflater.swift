import CZlib

/// Decompresses gzip (RFC 1952) and deflate (RFC 1951).
///
/// The output is passed on in parts, so that its receiver can limit it:
///
///     try Inflater.inflate(
///       bytes[...], as: .gzip, damaged: { .damaged(offset: $0) },
///       receive: { part in
///         output += part.output
///         guard output.count <= limit else { throw .tooLarge }
///       })
public enum Inflater {
  /// A format of compressed data.
  public enum Format: Sendable {
    /// A gzip file of one or more members.
    case gzip
    /// A deflate stream.
    case deflate
  }

  /// A part of the output, which can be empty.
  public struct Part {
    /// At most 64 KiB.
    public let output: ArraySlice<UInt8>
    /// The number of compressed bytes that were read for this part.
    public let consumed: Int
    /// Whether the part ends a gzip member or deflate stream, and more data follow.
    public let isFollowedByMember: Bool
  }

  /// Returns whether bytes begin like gzip.
  public static func isGzip(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: [0x1F, 0x8B])
  }

  /// Decompresses `bytes`. Bytes after the end of the compressed data are an error.
  ///
  /// - Parameters:
  ///   - damaged: Returns the error for data that are damaged at an offset in `bytes`.
  ///   - receive: Receives the parts of the output in order. An error that it throws ends the
  ///     decompression.
  /// - Throws: The error of `damaged` or `receive`.
  public static func inflate<Failure: Error>(
    _ bytes: ArraySlice<UInt8>, as format: Format, damaged: (_ offset: Int) -> Failure,
    receive: (Part) throws(Failure) -> Void
  ) throws(Failure) {
    // zlib stores the address of the stream, so it must not change.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    let status = format == .gzip ? zlib_begin_gunzip(stream) : zlib_begin_inflate(stream)
    guard status == Z_OK else { throw damaged(0) }
    defer { inflateEnd(stream) }

    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var rest = bytes
    while true {
      let step = step(stream, rest, into: &chunk)
      rest = rest.dropFirst(step.consumed)
      try receive(
        Part(
          output: chunk[..<step.produced], consumed: step.consumed,
          isFollowedByMember: step.status == Z_STREAM_END && !rest.isEmpty))
      switch step.status {
      case Z_STREAM_END:
        if rest.isEmpty { return }
        // Only another member of a gzip file may follow.
        guard format == .gzip, isGzip(rest), inflateReset(stream) == Z_OK else {
          throw damaged(rest.startIndex - bytes.startIndex)
        }
      case Z_OK where step.consumed + step.produced > 0: continue
      default: throw damaged(rest.startIndex - bytes.startIndex)
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

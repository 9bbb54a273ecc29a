import Glibc

/// A file that is mapped into memory for reading.
enum MappedFile {
  /// Maps a regular file, passes its content to `body`, and unmaps it if `body` throws. Otherwise
  /// the memory stays mapped for the life of the process. The program replaces edition files by
  /// renaming new ones and never changes them in place, so the content does not change.
  static func map<Value>(
    _ path: String, limit: Int,
    _ body: (UnsafeRawBufferPointer) throws(EditionFileFailure.Reason) -> Value
  ) throws(EditionFileFailure.Reason) -> Value {
    let descriptor = try open(path)
    defer { close(descriptor) }
    let size = try size(of: descriptor)
    guard size > 0 else { throw .notAnEdition }
    guard size <= limit else { throw .tooLarge(limit: limit) }
    guard let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
      address != MAP_FAILED
    else { throw .system(code: errno) }
    do {
      return try body(UnsafeRawBufferPointer(start: address, count: size))
    } catch {
      munmap(address, size)
      throw error
    }
  }

  /// Returns at most `count` bytes from the beginning of a regular file.
  static func prefix(
    of path: String, count: Int
  ) throws(EditionFileFailure.Reason) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: min(count, try size(of: descriptor)))
    let read = pread(descriptor, &bytes, bytes.count, 0)
    guard read >= 0 else { throw .system(code: errno) }
    return Array(bytes[..<read])
  }

  private static func open(_ path: String) throws(EditionFileFailure.Reason) -> Int32 {
    // O_NONBLOCK, so that opening a FIFO does not wait.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw errno == ENOENT ? .notFound : .system(code: errno) }
    return descriptor
  }

  private static func size(of descriptor: Int32) throws(EditionFileFailure.Reason) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
    return Int(status.st_size)
  }
}

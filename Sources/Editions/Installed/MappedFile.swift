import Glibc
import Synchronization

/// The files of editions, which are mapped into memory for reading.
enum MappedFile {
  /// Two files with equal values have the same content: the program never changes an edition file
  /// in place, but renames a new file to its name.
  private struct Version: Equatable {
    let device: dev_t
    let inode: ino_t
    let size: Int
    /// The time of the last change of the content or the metadata (`st_ctim`). Unlike the time of
    /// modification, a program cannot set it to an earlier time.
    let seconds: Int
    let nanoseconds: Int
  }

  /// The editions whose files are mapped.
  private static let editions = Mutex<[(version: Version, edition: Edition)]>([])

  /// Maps a file into memory, where it stays for the life of the process, and validates it. If this
  /// was already done, the same edition is returned.
  static func edition(at path: String) throws(EditionFileFailure.Reason) -> Edition {
    let descriptor = try open(path)
    defer { close(descriptor) }
    let version = try version(of: descriptor)
    let known = editions.withLock { $0.first { $0.version == version } }
    if let known { return known.edition }
    let size = version.size
    guard size > 0 else { throw .notAnEdition }
    guard size <= EditionFile.byteLimit else { throw .tooLarge(limit: EditionFile.byteLimit) }
    guard let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
      address != MAP_FAILED
    else { throw .system(code: errno) }
    let edition: Edition
    do {
      edition = try Edition(file: UnsafeRawBufferPointer(start: address, count: size))
    } catch {
      munmap(address, size)
      throw error
    }
    // If another thread has mapped the file meanwhile, both mappings stay valid.
    editions.withLock { $0.append((version, edition)) }
    return edition
  }

  /// Returns at most `count` bytes from the beginning of a regular file.
  static func prefix(
    of path: String, count: Int
  ) throws(EditionFileFailure.Reason) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: min(count, try version(of: descriptor).size))
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

  private static func version(
    of descriptor: Int32
  ) throws(EditionFileFailure.Reason) -> Version {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
    return Version(
      device: status.st_dev, inode: status.st_ino, size: Int(status.st_size),
      seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
  }
}

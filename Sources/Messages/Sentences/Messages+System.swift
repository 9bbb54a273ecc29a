import Glibc

// Error messages of the operating system.
extension Messages {
  /// The message for a failure without a known reason.
  public var unexpectedFailure: String {
    pick("Đã xảy ra một lỗi không lường trước.", "Something failed that was not expected to.")
  }

  /// Returns the reason why a system call failed, for use within a sentence.
  ///
  /// - Parameter code: The value of `errno`.
  public func systemError(_ code: Int32) -> String {
    switch code {
    case EBADF: pick("đã bị đóng", "it is closed")
    case EPERM, EACCES: pick("không có quyền", "no permission")
    case EROFS: pick("chỉ đọc được", "read-only")
    case ENOSPC, EDQUOT: pick("đĩa đã đầy", "the disk is full")
    case ENOENT: pick("không có ở đó", "it is not there")
    case ENOTDIR: pick("không phải thư mục", "not a directory")
    case EISDIR: pick("là một thư mục", "it is a directory")
    case EMFILE, ENFILE: pick("quá nhiều tệp đang mở", "too many open files")
    case EIO: pick("lỗi đĩa", "a disk error")
    case EINVAL: pick("không dùng được như một tệp", "it cannot be used as a file")
    case ENAMETOOLONG: pick("tên quá dài", "the name is too long")
    case ELOOP: pick("liên kết tượng trưng không dùng được", "a symbolic link that is not usable")
    case ESTALE: pick("tệp trên mạng không còn đó", "the network file is gone")
    case EBUSY: pick("đang được dùng", "it is in use")
    case EFBIG: pick("tệp quá lớn", "the file is too large")
    default: pick("lỗi \(code)", "error \(code)")
    }
  }
}

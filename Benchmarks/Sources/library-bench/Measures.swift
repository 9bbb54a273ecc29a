import Glibc
import Library
import Quran
import Samples

/// Milliseconds since 1970, UTC, at which everything here happens.
let epoch: Int64 = 1_790_000_000_000

/// As the reader opens it, and takes all of it that the screens show.
func timesToOpen(_ path: String, _ times: Int) throws(LibraryFailure) -> Samples {
  var samples = Samples()
  // The first opening of a process makes metadata that later ones find.
  try Library.open(path, at: epoch).library.close()
  for _ in 0..<times {
    let opening = try samples.measure { () throws(LibraryFailure) in
      try Library.open(path, at: epoch)
    }
    opening.library.close()
  }
  return samples
}

/// A favourite made or taken away, and beside it what the disk needs for 4 KiB, in turn.
func timesToCommit(
  _ path: String, _ times: Int
) throws(LibraryFailure) -> (commits: Samples, appends: Samples) {
  let library = try Library.open(path, at: epoch).library
  let isFavorite = try library.snapshot().isFavorite
  let file = open(path + ".appended", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
  guard file >= 0 else { fail("library-bench: \(path).appended: errno \(errno)") }
  let block = [UInt8](repeating: 0x5A, count: 4096)
  var commits = Samples()
  var appends = Samples()
  for (number, ayah) in (AyahID.first...AyahID.last).prefix(times).enumerated() {
    let isWhole = appends.measure {
      write(file, block, block.count) == block.count && fdatasync(file) == 0
    }
    guard isWhole else { fail("library-bench: \(path).appended: errno \(errno)") }
    let commit = try commits.measure { () throws(LibraryFailure) in
      try library.commit(
        [.setFavorite(ayah, !isFavorite(ayah))], at: epoch + Int64(number))
    }
    guard commit.edits.count == 1 else { fail("library-bench: \(ayah) was not changed") }
  }
  library.close()
  close(file)
  unlink(path + ".appended")
  return (commits, appends)
}

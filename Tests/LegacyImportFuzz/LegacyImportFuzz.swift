import LegacyImport
import Quran
import Words

/// Any bytes are a dump or a failure that can be explained, and what was found is counted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacyImport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let words = Words(.vietnamese)
  do throws(LegacyFailure) {
    let dump = try LegacyDump(bytes)
    precondition(!dump.shapes.isEmpty && dump.containers.count <= 4)
    precondition(
      LegacyKey.allCases.map(dump.found).reduce(0, +)
        == dump.favorites.count + dump.notes.count + dump.progress.count + dump.problems.count)
    for progress in dump.progress {
      precondition((0...progress.surah.ayahCount).contains(progress.lastReadAyah))
    }
    for problem in dump.problems.prefix(10) {
      precondition(!words.explain(problem.reason).isEmpty && problem.place.utf8.count < 1000)
    }
  } catch {
    precondition(!words.explain(error, in: "x").isEmpty)
  }
  return 0
}

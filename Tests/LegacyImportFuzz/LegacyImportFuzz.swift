import LegacyImport
import Messages
import Quran
import Text

/// Any bytes are a dump or a failure that can be explained, and what is found is in order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacyImport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let messages = Messages(.vietnamese)
  do throws(LegacyFailure) {
    let dump = try LegacyDump(bytes)
    precondition(!dump.shapes.isEmpty && dump.formats.count <= 4)
    for key in LegacyKey.allCases where dump.shapes[key] == nil {
      // What could not be read counts, once for each time that the key stands there.
      precondition(dump.entryCount(of: key) == dump.problems.count { $0.key == key })
    }
    precondition(zip(dump.notes, dump.notes.dropFirst()).allSatisfy { $0.ayah <= $1.ayah })
    precondition(zip(dump.progress, dump.progress.dropFirst()).allSatisfy { $0.surah <= $1.surah })
    precondition(dump.unknownKeys.count == min(dump.unknownKeyCount, 300))
    precondition(
      zip(dump.unknownKeys, dump.unknownKeys.dropFirst()).allSatisfy {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      })
    for progress in dump.progress {
      precondition((0...progress.surah.ayahCount).contains(progress.lastReadAyah))
    }
    for problem in dump.problems.prefix(10) {
      precondition(!messages.explain(problem.reason).isEmpty && problem.place.utf8.count < 1000)
      precondition(problem.place.utf8.starts(with: problem.key.rawValue.utf8))
    }
  } catch {
    precondition(!messages.explain(error, in: "x").isEmpty)
  }
  return 0
}

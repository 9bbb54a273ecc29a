import Foundation
import TestSupport
import Testing

/// The Arabic text that `make build` takes from the Python package `quran-text`.
struct ArabicPackageTests {
  /// The package, beside the reader's build; nil if there was no pip or no network.
  private static let package: String? = {
    guard let reader = try? Program.reader() else { return nil }
    let folder = URL(filePath: reader).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "arabic").path
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
    return files?.first { $0.hasSuffix(".whl") }.map { "\(folder)/\($0)" }
  }()

  /// Prints each ayah of the package in a line: its words with the signs of pauses and divisions,
  /// which the package lists apart.
  private static let script = """
    import json, sys, zipfile
    book = json.loads(zipfile.ZipFile(sys.argv[1]).read("quran_text_data/hafs.json"))
    words = book["words"]
    for index, kind in book["marks"]:
        mark = book["mark_types"][kind]
        if mark["side"] == "after":
            words[index] += mark["sign"]
        else:
            words[index] = mark["sign"] + " " + words[index]
    starts = book["ayah_starts"]
    for start, end in zip(starts, starts[1:] + [len(words)]):
        print(" ".join(words[start:end]))
    """

  @Test(.enabled(if: Self.package != nil, "the Arabic text was not downloaded"))
  func everyAyahEqualsThatOfThePackage() throws {
    let directory = try TemporaryDirectory()
    let package = try Outcome.of(
      Program.installed("python3"), ["-c", Self.script, #require(Self.package)],
      environment: ["PYTHONIOENCODING": "utf-8"], directory: directory.path)
    #expect(package.ending == .exited(0), "\(package.errors)")
    let read = try Home().quranVi("read", "--edition", "ar.hafs", "--plain", "1-114")
    #expect(read.ending == .exited(0), "\(read.errors)")
    let (words, texts) = (package.outputLines, read.outputLines)
    // The last line is empty.
    #expect(words.count == 6237 && texts.count == 6237)
    let different = zip(words, texts).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(different == nil, "ayah number \(different.map { $0.offset + 1 } ?? 0)")
  }
}

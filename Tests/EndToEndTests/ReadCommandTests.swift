import Foundation
import TestSupport
import Testing

@Suite struct ReadCommandTests {
  @Test func aSurahIsPrintedOneAyahALine() throws {
    let outcome = try Home().quranVi("read", "112", "--plain")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    let expected = (1...4).map { Book.text(of: "112:\($0)") + "\n" }.joined()
    #expect(outcome.outputBytes == Array(expected.utf8), "\(outcome)")
    #expect(outcome.errors == "")
  }

  @Test func theWholeBookIsPrintedByteForByte() throws {
    #expect(Book.ayahs.count == 6236)
    let outcome = try Home().quranVi("read", "1:1-114:6", "--plain")
    #expect(outcome.ending == .exited(0))
    let lines = outcome.outputBytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(lines.count == 6237)
    #expect(lines.last?.isEmpty == true)
    let different = zip(Book.ayahs, lines).first { !$0.text.utf8.elementsEqual($1) }
    #expect(different == nil, "\(different?.0.reference ?? "")")
  }

  @Test func severalReferencesArePrintedInTurn() throws {
    let outcome = try Home().quranVi("read", "2:255-256", "112:1", "juz 30", "--plain")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    let juz = Book.ayahs.drop { $0.reference != "78:1" }.map(\.text)
    let expected = ["2:255", "2:256", "112:1"].map(Book.text(of:)) + juz
    #expect(outcome.output == expected.map { $0 + "\n" }.joined())
  }

  @Test func aSurahNameMayBeSeveralArguments() throws {
    let home = try Home()
    #expect(
      try home.quranVi("read", "ya", "sin").outputBytes == home.quranVi("read", "36").outputBytes)
    #expect(
      try home.quranVi("read", "baqarah", "255").outputBytes
        == home.quranVi("read", "2:255").outputBytes)
    let both = try home.quranVi("read", "36", "112")
    #expect(both.output.contains("\n112:4 "), "\(both)")
  }

  @Test func aFullDiskIsReportedInOneLineWithStatus3() throws {
    let home = try Home()
    for arguments in ["read 2", "read 2 --json", "search allah", "--help", "--paths"] {
      let outcome = try Outcome.of(
        "/bin/bash", ["-c", "\"$0\" \(arguments) > /dev/full", Program.reader()],
        environment: home.environment, directory: home.path)
      #expect(outcome.ending == .exited(3), "\(outcome)")
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
    }
  }

  @Test func jsonContainsEveryAyah() throws {
    let outcome = try Home().quranVi("read", "112", "--json")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    let ayahs = try outcome.jsonObjects()
    #expect(ayahs.map { $0["ayah"] as? String } == (1...4).map { "112:\($0)" })
    #expect(ayahs.map { $0["text"] as? String } == (1...4).map { Book.text(of: "112:\($0)") })
  }

  @Test func withoutOptionsEveryAyahHasItsNumber() throws {
    let outcome = try Home().quranVi("read", "2:255")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("255"))
    #expect(outcome.output.shows("Đấng Hằng Sống"))
    #expect(!outcome.outputBytes.contains(0x1B))
  }
}

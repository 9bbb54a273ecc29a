import CoreDataModels
import Foundation
import TestSupport
import Testing

struct ModelFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Writes a file below the directory, with its folders.
  private func write(_ text: String, to name: String) throws {
    let url = URL(filePath: "\(directory.path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: false, encoding: .utf8)
  }

  private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  private func currentVersion(_ name: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>Other</key>
    \t<string>A.xcdatamodel</string>
    \t<key>_XCCurrentVersionName</key>
    \t<string>\(name)</string>
    </dict>
    </plist>
    """
  }

  private func problem<Value>(_ body: () throws -> Value) -> ModelError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? ModelError
    }
  }

  @Test func aFileOrAFolderIsOneModel() throws {
    try write(xml(""), to: "A.xcdatamodel/contents")
    let file = path("A.xcdatamodel/contents")
    for given in [file, path("A.xcdatamodel"), path("A.xcdatamodel/")] {
      let files = try ModelFile.all(at: given)
      #expect(files.map(\.path) == [file])
      #expect(files.map(\.isCurrent) == [nil])
      #expect(try ModelFile.current(at: given) == files[0])
    }
  }

  @Test func theVersionsOfABundleAreFound() throws {
    for name in ["B", "A", "C"] {
      try write(xml("<entity name='\(name)'/>"), to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    try write("", to: "M.xcdatamodeld/notes.txt")
    let bundle = path("M.xcdatamodeld")
    let paths = ["A", "B", "C"].map { "\(bundle)/\($0).xcdatamodel/contents" }
    #expect(try ModelFile.all(at: bundle).map(\.path) == paths)
    #expect(try ModelFile.all(at: bundle).map(\.isCurrent) == [nil, nil, nil])
    #expect(problem { try ModelFile.current(at: bundle) }?.problem == .noCurrentVersion)

    try write(currentVersion("B.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    #expect(try ModelFile.all(at: "\(bundle)/").map(\.path) == paths)
    #expect(try ModelFile.all(at: bundle).map(\.isCurrent) == [false, true, false])
    #expect(try ModelFile.current(at: bundle).path == paths[1])
    #expect(try DataModel(contentsOf: paths[1])["B"] != nil)
  }

  @Test func theOnlyVersionIsTheCurrentOne() throws {
    try write(xml(""), to: "M.xcdatamodeld/A.xcdatamodel/contents")
    #expect(try ModelFile.current(at: path("M.xcdatamodeld")).isCurrent == true)
  }

  @Test func theVersionsOfTheRepositoryAreFound() throws {
    let file = try ModelFile.current(at: "\(models)/FitIQ.xcdatamodeld")
    #expect(file.path == "\(models)/FitIQ.xcdatamodeld/FitIQ V10.xcdatamodel/contents")
    #expect(try ModelFile.all(at: "\(models)/FitIQ-before.xcdatamodeld").count == 2)
  }

  @Test func aWrongCurrentVersionIsRefused() throws {
    try write(xml(""), to: "M.xcdatamodeld/A.xcdatamodel/contents")
    let bundle = path("M.xcdatamodeld")
    let list = "M.xcdatamodeld/.xccurrentversion"
    func found(_ text: String) throws -> ModelError.Problem? {
      try write(text, to: list)
      let error = problem { try ModelFile.all(at: bundle) }
      #expect(error?.path == path(list))
      return error?.problem
    }
    #expect(try found(currentVersion("B.xcdatamodel")) == .unknownCurrentVersion("B.xcdatamodel"))
    #expect(try found(currentVersion("../x")) == .unknownCurrentVersion("../x"))
    #expect(try found("<plist><dict/></plist>") == .unknownCurrentVersion(nil))
    #expect(try found("bplist00") == .malformed(.invalidCharacters))
    let bomb = currentVersion("&a;").replacingOccurrences(
      of: "1.0.dtd\">", with: "1.0.dtd\" [<!ENTITY a \"A.xcdatamodel\">]>")
    #expect(bomb.contains("<!ENTITY"))
    #expect(try found(bomb) == .documentType)
    // The public document type could define the entity; it is never loaded.
    #expect(try found(currentVersion("&a;")) == .malformed(.undefinedEntity))
    let long = String(repeating: "A", count: 1_000_000)
    guard case .unknownCurrentVersion(let name?) = try found(currentVersion(long)) else {
      Issue.record("the name is accepted")
      return
    }
    #expect(name.utf8.count < 5000)
  }

  @Test func otherPathsAreRefused() throws {
    try write("", to: "folder/a.txt")
    let folder = problem { try ModelFile.all(at: path("folder")) }
    #expect(folder?.problem == .notAModel)
    #expect(folder?.path == path("folder"))
    let none = problem { try ModelFile.all(at: path("none")) }
    #expect(none?.problem == .unreadable(ENOENT))
    // A version without its file.
    try write("", to: "M.xcdatamodeld/A.xcdatamodel/layout")
    let file = try ModelFile.current(at: path("M.xcdatamodeld"))
    let error = problem { try DataModel(contentsOf: file.path) }
    #expect(error?.problem == .unreadable(ENOENT))
    #expect(error?.path == file.path)
    #expect(problem { try DataModel(contentsOf: path("folder")) }?.problem == .unreadable(EISDIR))
  }

  @Test func errorsNameTheFile() throws {
    try write(xml("<entity name='A'/>\n<entity name='A'/>"), to: "contents")
    let error = problem { try DataModel(contentsOf: path("contents")) }
    #expect(error?.path == path("contents"))
    #expect(error?.line == 4)
    #expect(error?.problem == .duplicateEntity("A"))
  }
}

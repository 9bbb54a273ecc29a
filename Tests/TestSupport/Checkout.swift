public import Foundation

/// The checkout that the tests are part of.
public let checkout = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// The text of the schema of this reader.
public let quranSchema = try! String(
  contentsOf: checkout.appending(path: "Resources/schema/quran-vi.ckdb"), encoding: .utf8)

/// The path of a program that is built with the tests, beside the program that runs them.
public func programBesideTests(_ name: String) -> String {
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  return URL(filePath: tests).deletingLastPathComponent().path + "/\(name)"
}

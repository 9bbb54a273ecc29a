import LegacyImportFuzz
import Testing

/// The function that the fuzzer calls, with the files from which the fuzzer starts.
struct FuzzTests {
  /// If the function finds a fault, it ends the process.
  @Test(arguments: Fixtures.all)
  func theFuzzersFilesShowNoFault(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    let status = bytes.withUnsafeBufferPointer { fuzzLegacyImport($0.baseAddress, $0.count) }
    #expect(status == 0)
  }
}

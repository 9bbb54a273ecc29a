import LegacyImport
import Quran
import Testing

/// The same library in all supported formats.
struct SameLibraryTests {
  @Test(arguments: Fixtures.names("same"))
  func everyFileHoldsTheSameLibrary(name: String) throws {
    let dump = try LegacyDump(try Fixtures.bytes(name))
    #expect(dump.favorites == Sample.favorites)
    #expect(dump.notes == Sample.notes)
    #expect(dump.progress == Sample.progress)
    #expect(dump.problems.isEmpty)
    #expect(dump.shapes.count == 3)
    #expect(LegacyKey.allCases.map(dump.entryCount) == [12, 9, 7])
  }

  @Test func everyFileHasAnExpectedShape() {
    #expect(Fixtures.names("same") == Self.shapes.map { "same/\($0.0)" }.sorted())
  }

  /// The formats, the keys around the preferences, and the shapes of favourites and progress.
  private static let shapes: [(String, String, String, String, String)] = [
    ("binary-archive.plist", "binary-property-list keyed-archive", "", "native", "native"),
    ("binary-base64.plist", "binary-property-list", "", "base64+json", "base64+json"),
    (
      "binary-data-archive.plist", "binary-property-list", "",
      "data+binary-property-list+keyed-archive", "data+binary-property-list+keyed-archive"
    ),
    (
      "binary-data-archived-data.plist", "binary-property-list", "",
      "data+binary-property-list+keyed-archive+data+json",
      "data+binary-property-list+keyed-archive+data+json"
    ),
    ("binary-data.plist", "binary-property-list", "", "data+json", "data+json"),
    ("binary-data.plist.gz", "gzip binary-property-list", "", "data+json", "data+json"),
    ("binary-flat.plist", "binary-property-list", "", "native", "flat-array"),
    ("binary-native.plist", "binary-property-list", "", "native", "native"),
    (
      "binary-utf16-data.plist", "binary-property-list", "", "data+utf-16+json",
      "data+utf-16+json"
    ),
    (
      "defaults-read-all.txt", "openstep-property-list", "com.Donald.Quranvn", "native", "native"
    ),
    ("defaults-read.txt", "openstep-property-list", "", "native", "native"),
    (
      "json-base64-archive.json", "json", "", "base64+binary-property-list+keyed-archive",
      "base64+binary-property-list+keyed-archive"
    ),
    (
      "json-base64-xml.json", "json", "", "base64+xml-property-list", "base64+xml-property-list"
    ),
    ("json-base64.json", "json", "", "base64+json", "base64+json"),
    ("json-bundle-id.json", "json", "com.Donald.Quranvn", "native", "native"),
    ("json-decomposed.json", "json", "", "native", "native"),
    ("json-escaped.json", "json", "", "native", "native"),
    ("json-flat.json", "json", "", "native", "flat-array"),
    ("json-native.json", "json", "", "native", "native"),
    ("json-native.json.gz", "gzip json", "", "native", "native"),
    ("json-percentages.json", "json", "", "native", "native"),
    ("json-string.json", "json", "", "string+json", "string+json"),
    ("json-two-members.json.gz", "gzip json", "", "native", "native"),
    ("json-user-defaults.json", "json", "UserDefaults", "base64+json", "base64+json"),
    ("json-utf16-le-no-bom.json", "utf-16 json", "", "native", "native"),
    ("json-utf16.json.gz", "gzip utf-16 json", "", "native", "native"),
    ("json-with-bom.json", "json", "", "native", "native"),
    ("openstep-ascii.txt", "openstep-property-list", "", "native", "native"),
    ("openstep-data.txt", "openstep-property-list", "", "data+json", "data+json"),
    ("openstep-described-data.txt", "openstep-property-list", "", "data+json", "data+json"),
    ("openstep-native.txt", "openstep-property-list", "", "native", "native"),
    ("openstep-utf16-be.txt", "utf-16 openstep-property-list", "", "native", "native"),
    ("xml-data-base64.plist", "xml-property-list", "", "data+base64+json", "data+base64+json"),
    (
      "xml-data-binary.plist", "xml-property-list", "", "data+binary-property-list",
      "data+binary-property-list"
    ),
    ("xml-data-flat.plist", "xml-property-list", "", "data+json", "data+json+flat-array"),
    (
      "xml-data-xml-archive.plist", "xml-property-list", "",
      "data+xml-property-list+keyed-archive", "data+json"
    ),
    ("xml-data.plist", "xml-property-list", "", "data+json", "data+json"),
    (
      "xml-mixed.plist", "xml-property-list", "", "data+binary-property-list+keyed-archive",
      "flat-array"
    ),
    ("xml-native.plist", "xml-property-list", "", "native", "native"),
    (
      "xml-string-openstep.plist", "xml-property-list", "", "string+openstep-property-list",
      "string+openstep-property-list"
    ),
    ("xml-string.plist", "xml-property-list", "", "string+json", "string+json"),
    ("xml-user-defaults.plist", "xml-property-list", "UserDefaults", "data+json", "data+json"),
    ("xml-utf16-be-no-bom.plist", "utf-16 xml-property-list", "", "native", "native"),
    ("xml-utf16-le.plist", "utf-16 xml-property-list", "", "native", "native"),
  ]

  @Test func formatsAndShapesAreReported() throws {
    for (name, formats, nesting, favorites, progress) in Self.shapes {
      let dump = try LegacyDump(try Fixtures.bytes("same/\(name)"))
      #expect(dump.formats.map(\.rawValue).joined(separator: " ") == formats, "\(name)")
      #expect(dump.nesting.joined() == nesting, "\(name)")
      #expect(dump.shapes[.favorites]?.code == favorites, "\(name)")
      #expect(dump.shapes[.progress]?.code == progress, "\(name)")
    }
  }

  @Test(arguments: [
    ("xml-data.plist", ["AppleLanguages", "AppleLocale", "fontSize"]),
    ("xml-user-defaults.plist", ["AppleLanguages", "AppleLocale", "fontSize"]),
    ("json-native.json", []), ("json-bundle-id.json", []),
  ])
  func otherKeysAreReported(name: String, keys: [String]) throws {
    #expect(try LegacyDump(try Fixtures.bytes("same/\(name)")).unknownKeys == keys)
  }

  @Test func nestedKeysAreIgnoredIfTopLevelOnesExist() throws {
    let dump = try LegacyDump(
      #"{"UserDefaults":{"favoriteAyahs":["1:2"]},"favoriteAyahs":["1:1"],"x":0}"#)
    #expect(dump.favorites.map(\.description) == ["1:1"])
    #expect(dump.nesting == [])
    #expect(dump.unknownKeys == ["UserDefaults", "x"])
  }

  @Test func theDictionaryOfTheBundleIDIsPreferred() throws {
    let dump = try LegacyDump(
      #"{"UserDefaults":{"ayahNotes":{}},"com.Donald.Quranvn":{"favoriteAyahs":["1:1"],"y":0}}"#)
    #expect(dump.favorites.count == 1)
    #expect(dump.nesting == ["com.Donald.Quranvn"])
    #expect(dump.unknownKeys == ["UserDefaults", "y"])
  }

  @Test(arguments: [
    #"{"x":{"favoriteAyahs":[]}}"#, #"{"UserDefaults":{"UserDefaults":{"favoriteAyahs":[]}}}"#,
    #"[{"favoriteAyahs":[]}]"#, #"{"favoriteayahs":[]}"#, #"{"UserDefaults":[]}"#,
  ])
  func legacyKeysInOtherPlacesAreIgnored(text: String) {
    #expect(failure(of: text)?.code == "no-legacy-keys")
  }

  @Test func emptyValuesAreUnderstood() throws {
    for text in [
      #"{"favoriteAyahs":[]}"#, #"{"ayahNotes":{}}"#, #"{"ayahNotes":[]}"#,
      #"{"ReadingProgressStore.progress":null}"#, #"{"favoriteAyahs":"bnVsbA=="}"#,
      "{ayahNotes = {};}", "<plist><dict><key>favoriteAyahs</key><array/></dict></plist>",
    ] {
      let dump = try LegacyDump(text)
      #expect(dump.shapes.count == 1 && dump.problems.isEmpty, "\(text)")
    }
  }
}

// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Tests run in a release build, so that all that they test is optimized. The tests themselves are
/// not: to optimize what `#expect` expands to takes long.
let tests = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// What the fuzzer of the import calls: a library for the tests, and a program for `make fuzz`.
/// libFuzzer brings its own main, so the program links only with its sanitizer.
let fuzzer: Target =
  Context.environment["FUZZ"] == nil
  ? .target(
    name: "LegacyImportFuzz", dependencies: ["LegacyImport", "Messages", "Quran", "Text"],
    path: "Tests/LegacyImportFuzz", swiftSettings: settings)
  : .executableTarget(
    name: "LegacyImportFuzz", dependencies: ["LegacyImport", "Messages", "Quran", "Text"],
    path: "Tests/LegacyImportFuzz",
    swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])

/// What the reader needs, and nothing else: neither the server nor any test.
let package = Package(
  name: "quran-vi",
  products: [
    .executable(name: "quran-vi", targets: ["quran-vi"]),
    // For Benchmarks, which is a package of its own.
    .library(name: "Editions", targets: ["Editions"]),
    .library(name: "LegacyImport", targets: ["LegacyImport"]),
    .library(name: "Library", targets: ["Library"]),
    .library(name: "Quran", targets: ["Quran"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
  ],
  targets: [
    // The book, and text as such.
    .target(name: "Quran", swiftSettings: settings),
    .target(name: "Text", swiftSettings: settings),
    .target(name: "BundledText"),
    .systemLibrary(name: "CNettle"),
    .target(name: "Digests", dependencies: ["CNettle"], swiftSettings: settings),
    .systemLibrary(name: "CZlib"),
    .target(name: "Compression", dependencies: ["CZlib"], swiftSettings: settings),
    .target(
      name: "Editions",
      dependencies: ["BundledText", "Compression", "CZlib", "Digests", "Quran", "Text"],
      swiftSettings: settings),

    // The reader's own: what is kept of them, and what they set for this machine.
    .systemLibrary(name: "CSQLite"),
    .target(
      name: "Library",
      dependencies: [
        "CSQLite", "Digests", "Quran", "Text",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .target(
      name: "LegacyImport", dependencies: ["Compression", "Library", "Quran", "Text"],
      swiftSettings: settings),
    .target(
      name: "ConfigFile", dependencies: [.product(name: "TOMLKit", package: "TOMLKit")],
      swiftSettings: settings),

    // Records as CloudKit Web Services speaks of them.
    .target(name: "CloudRecords", dependencies: ["Text"], swiftSettings: settings),
    .target(name: "CCurl"),
    .target(
      name: "RecordClient",
      dependencies: [
        "CCurl", "CloudRecords", .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      swiftSettings: settings),
    .target(
      name: "QuranEnc", dependencies: ["Editions", "Quran", "RecordClient"],
      swiftSettings: settings),
    .target(
      name: "Sync",
      dependencies: ["CloudRecords", "Library", "Quran", "RecordClient"],
      swiftSettings: settings),
    // Sentences about all of these.
    .target(
      name: "Messages",
      dependencies: [
        "CloudRecords", "Editions", "LegacyImport", "Library", "Quran", "QuranEnc",
        "RecordClient", "Sync", "Text",
      ],
      swiftSettings: settings),

    // The screen.
    .target(
      name: "CCurses",
      linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .systemLibrary(name: "CFriBidi"),
    .target(
      name: "Terminal", dependencies: ["CCurses", "CFriBidi", "Text"], swiftSettings: settings),
    .target(
      name: "Reader",
      dependencies: ["Quran", "Text", "Editions", "Library", "Sync", "Terminal", "Messages"],
      swiftSettings: settings),

    // The command line.
    .target(
      name: "Commands",
      dependencies: [
        "Quran", "QuranEnc", "Text", "Editions", "LegacyImport", "Library", "CloudRecords",
        "RecordClient", "Sync", "Messages",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "quran-vi",
      dependencies: [
        "Commands", "ConfigFile", "Editions", "Library", "Quran", "Reader", "Sync", "Terminal",
        "Text", "Messages",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)

// `make run` sets READER_ONLY, so that it fetches and resolves the reader's dependencies alone.
if Context.environment["READER_ONLY"] == nil {
  package.products += [
    .executable(name: "record-service", targets: ["record-service"]),
    // For the tests of apps.
    .library(
      name: "RecordServiceTesting",
      targets: ["RecordServiceTesting", "RecordServer", "CloudRecords"]),
  ]
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    // Without its readers of configuration files and of the environment.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(
      url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ]
  package.targets += [
    .target(name: "BundledSchema"),
    // The models of apps whose records the server keeps.
    .systemLibrary(name: "CExpat"),
    .target(
      name: "CoreDataModels", dependencies: ["CExpat", "CloudRecords"],
      swiftSettings: settings),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CPostgreSQL"),
    .target(
      name: "RecordServer",
      dependencies: [
        "CMalloc", "CPostgreSQL", "CloudRecords", "Compression", "Text",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),

    // Containers for the tests of apps.
    .target(
      name: "RecordServiceTesting", dependencies: ["CloudRecords", "RecordServer"],
      swiftSettings: settings),

    .executableTarget(
      name: "record-service",
      dependencies: [
        "BundledSchema", "CSQLite", "CloudRecords", "CoreDataModels", "RecordServer", "Text",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),

    .testTarget(name: "QuranTests", dependencies: ["Quran"], swiftSettings: tests),
    .testTarget(
      name: "TextTests", dependencies: ["TestSupport", "Text"], swiftSettings: tests),
    .testTarget(
      name: "EditionsTests",
      dependencies: ["CZlib", "Digests", "Editions", "Quran", "TestSupport", "Text"],
      exclude: ["Fixtures", "oracle.py"],
      swiftSettings: tests),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["CCurses", "CPseudoTerminal", "Terminal", "TestSupport", "Text"],
      swiftSettings: tests),
    .testTarget(
      name: "MessagesTests",
      dependencies: [
        "CloudRecords", "Editions", "LegacyImport", "Library", "Messages", "Quran", "QuranEnc",
        "RecordClient", "Sync", "Text",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "ReaderTests",
      dependencies: [
        "Reader", "CloudRecords", "Quran", "RecordClient", "Sync", "Text", "Editions", "Library",
        "Terminal", "TestSupport", "Messages",
      ],
      exclude: ["Screens"], swiftSettings: tests),
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "CloudRecords", "Commands", "Quran", "QuranEnc", "RecordClient", "Text", "Editions",
        "LegacyImport", "Library", "TestSupport", "Messages",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "LibraryTests",
      dependencies: [
        "Library", "Quran", "TestSupport", "Text", "library-writer",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: tests),
    // Writes into a library until it is killed.
    .executableTarget(
      name: "library-writer", dependencies: ["Library", "Quran"], path: "Tests/LibraryWriter",
      swiftSettings: settings),
    fuzzer,
    .testTarget(
      name: "LegacyImportTests",
      dependencies: [
        "CZlib", "LegacyImport", "LegacyImportFuzz", "Library", "Quran", "TestSupport", "Text",
      ],
      exclude: ["Fixtures", "measure.py"], swiftSettings: tests),
    .testTarget(
      name: "CloudRecordsTests", dependencies: ["CloudRecords", "TestSupport", "Text"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "CoreDataModelsTests", dependencies: ["CloudRecords", "CoreDataModels", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "RecordServerTests",
      dependencies: [
        "CloudRecords", "Compression", "RecordServer", "RecordServiceSupport", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: tests),
    .testTarget(
      name: "RecordServiceTestingTests",
      dependencies: [
        "CloudRecords", "RecordServer", "RecordServiceSupport", "RecordServiceTesting",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      exclude: ["notes.ckdb"], swiftSettings: tests),
    // The example, whose package needs the whole of this one.
    .target(name: "Notes", path: "Examples/notes/Sources/Notes", swiftSettings: settings),
    .testTarget(
      name: "NotesTests",
      dependencies: ["CloudRecords", "Notes", "RecordServer", "RecordServiceTesting"],
      path: "Examples/notes/Tests/NotesTests", exclude: ["notes.ckdb", "production.ckdb"],
      swiftSettings: tests),
    // Measures how long a test waits for a container.
    .executableTarget(
      name: "container-bench", dependencies: ["CloudRecords", "RecordServer"],
      path: "Tests/ContainerBench", swiftSettings: settings),
    // What tests of the service and of its clients share.
    .target(
      name: "RecordServiceSupport",
      dependencies: [
        "CloudRecords", "RecordClient", "RecordServer", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/RecordServiceSupport", swiftSettings: tests),
    .testTarget(
      name: "SchemaTests",
      dependencies: [
        "CloudRecords", "Library", "Quran", "RecordClient", "RecordServer",
        "RecordServiceSupport", "Sync", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: tests),
    .testTarget(
      name: "RecordServiceCommandTests",
      dependencies: [
        "CloudRecords", "RecordServer", "RecordServiceSupport", "TestSupport", "record-service",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: tests),
    .testTarget(
      name: "RecordClientTests",
      dependencies: [
        "CCurl", "CloudRecords", "Compression", "RecordClient", "RecordServiceSupport",
        "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: tests),
    .testTarget(
      name: "QuranEncTests",
      dependencies: ["Editions", "Quran", "QuranEnc", "RecordClient", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "CloudRecords", "Library", "Quran", "RecordClient", "RecordServer", "Sync", "TestSupport",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "SimulatorTests",
      dependencies: [
        "CSQLiteSettings", "CloudRecords", "Library", "Quran", "RecordClient", "RecordServer",
        "Sync", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ConfigFileTests", dependencies: ["ConfigFile", "TestSupport"],
      swiftSettings: tests),
    .target(
      name: "TestSupport", dependencies: ["CPseudoTerminal", "Quran"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(name: "CSQLiteSettings", path: "Tests/CSQLiteSettings"),
    .target(name: "CPseudoTerminal", path: "Tests/CPseudoTerminal"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "CPseudoTerminal", "Quran", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: tests),
  ]
}

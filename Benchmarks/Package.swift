// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func reader(_ product: String) -> Target.Dependency { .product(name: product, package: "quran-vi") }

// A package of its own, so that whoever builds the reader never builds this.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "quran-vi", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "search-bench", dependencies: [reader("Editions"), reader("Quran"), "Samples"],
      swiftSettings: settings),
    .executableTarget(
      name: "library-bench",
      dependencies: [
        reader("Editions"), reader("LegacyImport"), reader("Library"), reader("Quran"), "Samples",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .target(name: "Samples", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

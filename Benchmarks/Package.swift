// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that whoever builds the reader never builds this.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "quran-vi", path: "..")],
  targets: [
    .executableTarget(
      name: "search-bench",
      dependencies: [.product(name: "Editions", package: "quran-vi")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ],
  swiftLanguageModes: [.v6]
)

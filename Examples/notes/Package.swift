// swift-tools-version: 6.1
import PackageDescription

// An app that keeps notes in CloudKit, and its tests, which need neither an account nor a network.
let package = Package(
  name: "notes",
  dependencies: [
    // The folder of record-service. In a package of your own, its URL and version.
    .package(name: "quran-vi", path: "../..")
  ],
  targets: [
    .target(name: "Notes"),
    .testTarget(
      name: "NotesTests",
      dependencies: ["Notes", .product(name: "RecordServiceTesting", package: "quran-vi")],
      exclude: ["notes.ckdb", "production.ckdb"]),
  ]
)

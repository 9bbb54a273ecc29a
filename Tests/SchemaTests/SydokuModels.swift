import CloudRecords
import Foundation

/// The three models of Sydoku, and the legacy data from which they come.
struct SydokuModels: Hashable {
  struct Statistics: Hashable {
    var id: UUID
    var gamesPlayed = 0
    var gamesWon = 0
    var currentStreak = 0
    var bestStreak = 0
    var totalSeconds = 0.0
    /// The best time of each difficulty in seconds.
    var bestTimes: [String: Double] = [:]
    var lastUpdatedAt: Int64 = 0
  }

  struct SavedGame: Hashable {
    var id: UUID
    var puzzle = ""
    var cells: [UInt8] = []
    var difficulty = "easy"
    var elapsedSeconds = 0.0
    var mistakes = 0
    var hintsUsed = 0
    var isDaily = false
    var savedAt: Int64 = 0
  }

  struct Settings: Hashable {
    var id: UUID
    var theme = "system"
    var hasSound = true
    var hasHaptics = true
    var mistakeLimit = 3
    var lastModifiedAt: Int64 = 0
  }

  var statistics: Statistics
  var savedGame: SavedGame
  var settings: Settings
}

// MARK: Legacy data

extension SydokuModels {
  /// The data of earlier versions in the user defaults, one value for each key.
  struct Legacy: Hashable {
    /// A stored value. Its property names differ from the model's; times are in seconds since 2001.
    struct Statistics: Codable, Hashable {
      var played: Int
      var won: Int
      var streak: Int
      var longestStreak: Int
      var seconds: Double
      var records: [String: Double]
      var updated: Double
    }

    struct SavedGame: Codable, Hashable {
      var grid: String
      var entries: [Int]
      var level: String
      var time: Double
      var errors: Int
      var hints: Int
      var daily: Bool
      var saved: Double
    }

    struct Settings: Codable, Hashable {
      var appearance: String
      var sound: Bool
      var vibration: Bool
      var maxErrors: Int
      var changed: Double
    }

    var statistics: Statistics
    var savedGame: SavedGame
    var settings: Settings

    static let keys = ["SydokuStatistics", "SydokuSavedGame", "SydokuSettings"]

    /// Reads the legacy data; nil if there is none.
    init?(defaults: [String: Data]) throws {
      let decoder = JSONDecoder()
      let values = Self.keys.compactMap { defaults[$0] }
      guard values.count == Self.keys.count else { return nil }
      statistics = try decoder.decode(Statistics.self, from: values[0])
      savedGame = try decoder.decode(SavedGame.self, from: values[1])
      settings = try decoder.decode(Settings.self, from: values[2])
    }

    init(statistics: Statistics, savedGame: SavedGame, settings: Settings) {
      (self.statistics, self.savedGame, self.settings) = (statistics, savedGame, settings)
    }

    /// The user defaults with these values.
    var defaults: [String: Data] {
      get throws {
        let encoder = JSONEncoder()
        let values = [
          try encoder.encode(statistics), try encoder.encode(savedGame),
          try encoder.encode(settings),
        ]
        return Dictionary(uniqueKeysWithValues: zip(Self.keys, values))
      }
    }
  }

  /// Milliseconds since 1970 at the beginning of 2001.
  private static let reference: Int64 = 978_307_200_000

  private static func milliseconds(_ seconds: Double) -> Int64 {
    reference + Int64((seconds * 1000).rounded())
  }

  private static func seconds(_ milliseconds: Int64) -> Double {
    Double(milliseconds - reference) / 1000
  }

  /// The models of legacy data.
  init(_ legacy: Legacy, newID: () -> UUID) {
    statistics = Statistics(
      id: newID(), gamesPlayed: legacy.statistics.played, gamesWon: legacy.statistics.won,
      currentStreak: legacy.statistics.streak, bestStreak: legacy.statistics.longestStreak,
      totalSeconds: legacy.statistics.seconds, bestTimes: legacy.statistics.records,
      lastUpdatedAt: Self.milliseconds(legacy.statistics.updated))
    savedGame = SavedGame(
      id: newID(), puzzle: legacy.savedGame.grid,
      cells: legacy.savedGame.entries.map { UInt8(clamping: $0) },
      difficulty: legacy.savedGame.level, elapsedSeconds: legacy.savedGame.time,
      mistakes: legacy.savedGame.errors, hintsUsed: legacy.savedGame.hints,
      isDaily: legacy.savedGame.daily, savedAt: Self.milliseconds(legacy.savedGame.saved))
    settings = Settings(
      id: newID(), theme: legacy.settings.appearance, hasSound: legacy.settings.sound,
      hasHaptics: legacy.settings.vibration, mistakeLimit: legacy.settings.maxErrors,
      lastModifiedAt: Self.milliseconds(legacy.settings.changed))
  }

  /// The legacy data of the models, for views that still use it.
  var legacy: Legacy {
    Legacy(
      statistics: .init(
        played: statistics.gamesPlayed, won: statistics.gamesWon,
        streak: statistics.currentStreak, longestStreak: statistics.bestStreak,
        seconds: statistics.totalSeconds, records: statistics.bestTimes,
        updated: Self.seconds(statistics.lastUpdatedAt)),
      savedGame: .init(
        grid: savedGame.puzzle, entries: savedGame.cells.map(Int.init),
        level: savedGame.difficulty, time: savedGame.elapsedSeconds, errors: savedGame.mistakes,
        hints: savedGame.hintsUsed, daily: savedGame.isDaily,
        saved: Self.seconds(savedGame.savedAt)),
      settings: .init(
        appearance: settings.theme, sound: settings.hasSound, vibration: settings.hasHaptics,
        maxErrors: settings.mistakeLimit, changed: Self.seconds(settings.lastModifiedAt)))
  }
}

// MARK: Records

extension SydokuModels {
  static let types = ["CD_GameStatistics", "CD_SavedGameState", "CD_UserSettings"]

  /// The records of the models, as mirroring makes them: Booleans are numbers, and a dictionary is
  /// bytes.
  var records: [RecordInput] {
    get throws {
      func time(_ milliseconds: Int64) -> FieldValue {
        .timestamp(Timestamp(milliseconds: milliseconds))
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return [
        Self.record(
          statistics.id, Self.types[0],
          [
            "gamesPlayed": .int64(Int64(statistics.gamesPlayed)),
            "gamesWon": .int64(Int64(statistics.gamesWon)),
            "currentStreak": .int64(Int64(statistics.currentStreak)),
            "bestStreak": .int64(Int64(statistics.bestStreak)),
            "totalSeconds": .double(statistics.totalSeconds),
            "bestTimes": .bytes(try encoder.encode(statistics.bestTimes)),
            "lastUpdatedAt": time(statistics.lastUpdatedAt),
          ]),
        Self.record(
          savedGame.id, Self.types[1],
          [
            "puzzle": .string(savedGame.puzzle), "cells": .bytes(Data(savedGame.cells)),
            "difficulty": .string(savedGame.difficulty),
            "elapsedSeconds": .double(savedGame.elapsedSeconds),
            "mistakes": .int64(Int64(savedGame.mistakes)),
            "hintsUsed": .int64(Int64(savedGame.hintsUsed)),
            "isDaily": .int64(savedGame.isDaily ? 1 : 0), "savedAt": time(savedGame.savedAt),
          ]),
        Self.record(
          settings.id, Self.types[2],
          [
            "theme": .string(settings.theme), "soundEnabled": .int64(settings.hasSound ? 1 : 0),
            "hapticsEnabled": .int64(settings.hasHaptics ? 1 : 0),
            "mistakeLimit": .int64(Int64(settings.mistakeLimit)),
            "lastModifiedAt": time(settings.lastModifiedAt),
          ]),
      ]
    }
  }

  private static func record(
    _ id: UUID, _ type: String, _ attributes: [String: FieldValue]
  ) -> RecordInput {
    var record = RecordInput(id.uuidString, type: type)
    for (name, value) in attributes { record["CD_" + name] = value }
    record["CD_id"] = .string(id.uuidString)
    record["CD_entityName"] = .string(String(type.dropFirst(3)))
    return record
  }

  /// The models in records; nil if one of them is missing.
  init?(_ records: [CloudRecords.Record]) throws {
    func find(_ type: String) -> Attributes? {
      records.first { $0.recordType == type }.map(Attributes.init)
    }
    guard let first = find(Self.types[0]), let second = find(Self.types[1]),
      let third = find(Self.types[2])
    else { return nil }
    statistics = Statistics(
      id: first.id, gamesPlayed: first.number("gamesPlayed"), gamesWon: first.number("gamesWon"),
      currentStreak: first.number("currentStreak"), bestStreak: first.number("bestStreak"),
      totalSeconds: first.real("totalSeconds"),
      bestTimes: try JSONDecoder().decode([String: Double].self, from: first.bytes("bestTimes")),
      lastUpdatedAt: first.time("lastUpdatedAt"))
    savedGame = SavedGame(
      id: second.id, puzzle: second.text("puzzle"), cells: Array(second.bytes("cells")),
      difficulty: second.text("difficulty"), elapsedSeconds: second.real("elapsedSeconds"),
      mistakes: second.number("mistakes"), hintsUsed: second.number("hintsUsed"),
      isDaily: second.number("isDaily") == 1, savedAt: second.time("savedAt"))
    settings = Settings(
      id: third.id, theme: third.text("theme"), hasSound: third.number("soundEnabled") == 1,
      hasHaptics: third.number("hapticsEnabled") == 1,
      mistakeLimit: third.number("mistakeLimit"), lastModifiedAt: third.time("lastModifiedAt"))
  }

  /// The fields of a record by the names of the attributes.
  private struct Attributes {
    let record: CloudRecords.Record

    var id: UUID { UUID(uuidString: record.recordName) ?? UUID() }

    func text(_ name: String) -> String {
      if case .string(let text)? = record["CD_" + name] { text } else { "" }
    }
    func number(_ name: String) -> Int {
      if case .int64(let number)? = record["CD_" + name] { Int(number) } else { 0 }
    }
    func real(_ name: String) -> Double {
      if case .double(let number)? = record["CD_" + name] { number } else { 0 }
    }
    func bytes(_ name: String) -> Data {
      if case .bytes(let bytes)? = record["CD_" + name] { bytes } else { Data() }
    }
    func time(_ name: String) -> Int64 {
      if case .timestamp(let time)? = record["CD_" + name] { time.milliseconds } else { 0 }
    }
  }
}

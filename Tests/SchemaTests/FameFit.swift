import CloudRecords

/// The actions of FameFit on a device: a public profile, the leaderboard, and private workouts.
struct FameFit {
  let device: Device
  /// Whether this is a version of the app that knows only the deprecated fields.
  var isOld = false

  // MARK: Profiles

  struct Profile: Hashable {
    var name: String
    var experience: Int64
    var workouts: Int64 = 0
    var streak: Int64 = 0
    /// Milliseconds since 1970; nil before the first workout.
    var lastWorkout: Int64?
    var joined: Int64 = 1_700_000_000_000
  }

  /// The name of the user's profile, which does not begin with an underscore.
  private var profileName: String { "profile" + device.user }

  @discardableResult
  func save(_ profile: Profile) async throws -> RecordResult {
    var record = RecordInput(profileName, type: "User")
    record["userName"] = .string(profile.name)
    record["followerCount"] = .int64(profile.experience)
    if !isOld { record["influencerXP"] = .int64(profile.experience) }
    record["totalWorkouts"] = .int64(profile.workouts)
    record["currentStreak"] = .int64(profile.streak)
    if let time = profile.lastWorkout {
      record["lastWorkoutTimestamp"] = .timestamp(Timestamp(milliseconds: time))
    }
    record["joinTimestamp"] = .timestamp(Timestamp(milliseconds: profile.joined))
    return try await device.modify([Operation(.forceUpdate, record)], of: .public)[0]
  }

  /// Counts a workout that ended now.
  @discardableResult
  func gain(_ experience: Int64) async throws -> RecordResult {
    let known = try await device.lookup([profileName], of: .public)
    guard let record = known.first?.record, var profile = profile(of: record) else {
      return known[0]
    }
    profile.experience += experience
    profile.workouts += 1
    return try await save(profile)
  }

  func profile(of record: CloudRecords.Record) -> Profile? {
    guard case .string(let name)? = record["userName"] else { return nil }
    func number(_ field: String) -> Int64? {
      if case .int64(let number)? = record[field] { number } else { nil }
    }
    func time(_ field: String) -> Int64? {
      if case .timestamp(let time)? = record[field] { time.milliseconds } else { nil }
    }
    // A profile that only old versions have written has no experience.
    let experience = isOld ? nil : number("influencerXP")
    return Profile(
      name: name, experience: experience ?? number("followerCount") ?? 0,
      workouts: number("totalWorkouts") ?? 0, streak: number("currentStreak") ?? 0,
      lastWorkout: time("lastWorkoutTimestamp"), joined: time("joinTimestamp") ?? 0)
  }

  /// All profiles, those with the most experience first.
  func leaderboard() async throws -> [Profile] {
    let query = Query(
      "User", sorts: [Sort(isOld ? "followerCount" : "influencerXP", ascending: false)])
    return try await device.records(query, of: .public, limit: 2).compactMap(profile)
  }

  // MARK: Workouts

  struct Workout: Hashable {
    var id: String
    var kind = "running"
    /// Milliseconds since 1970.
    var start: Int64
    var end: Int64
    var experience: Int64 = 5
    /// Nil without a sensor.
    var heartRate: Double?
  }

  func save(_ workouts: [Workout]) async throws {
    let records = workouts.map { workout in
      var record = RecordInput("workout-" + workout.id, type: "WorkoutHistory")
      record["workoutId"] = .string(workout.id)
      record["workoutType"] = .string(workout.kind)
      record["startDate"] = .timestamp(Timestamp(milliseconds: workout.start))
      record["endDate"] = .timestamp(Timestamp(milliseconds: workout.end))
      record["duration"] = .double(Double(workout.end - workout.start) / 1000)
      record["totalEnergyBurned"] = .double(200)
      if let rate = workout.heartRate { record["averageHeartRate"] = .double(rate) }
      record["followersEarned"] = .int64(workout.experience)
      if !isOld { record["xpEarned"] = .int64(workout.experience) }
      record["source"] = .string("watch")
      return record
    }
    try await device.save(records)
  }

  /// The query of all workouts, in the order of a field.
  static func workouts(by field: String, ascending: Bool = true) -> Query {
    // Every record was created after 1970.
    let all = Filter(
      .system(.createTime), .greaterThan, Field(.timestamp(Timestamp(milliseconds: 0))))
    return Query(
      "WorkoutHistory", filters: [all], sorts: [Sort(field, ascending: ascending)])
  }

  /// The experience that a workout has earned, from the current or the deprecated field.
  static func experience(of record: CloudRecords.Record) -> FieldValue? {
    record["xpEarned"] ?? record["followersEarned"]
  }
}

/// One thing that happens in a simulation.
struct Step: Hashable, Sendable {
  /// Names what the step makes, also where steps before it are taken away.
  let id: Int
  var action: Action

  enum Action: Hashable, Sendable {
    /// - Parameter milliseconds: of everybody's time.
    case wait(milliseconds: Int64)
    case favorite(device: Int, ayah: Int, Bool)
    case addNote(device: Int, ayah: Int, lines: Int)
    /// A note out of the older app: the same on every device that imports it.
    case importNote(device: Int, number: Int, hasOwnID: Bool)
    /// All that the older app kept.
    ///
    /// - Parameter days: how old the file is.
    case importDump(device: Int, days: Int)
    /// - Parameter note: counted in the order of the device's notes, round and round.
    case edit(device: Int, note: Int, [LineEdit])
    case delete(device: Int, note: Int)
    case advance(device: Int, surah: Int, to: Int)
    case setProgress(device: Int, surah: Int, to: Int)
    case set(device: Int, key: Int, value: String?)
    /// Marks many ayahs, and takes all the marks away.
    case fill(device: Int)
    case empty(device: Int)
    case sync(device: Int, Trouble)
    case signOut(device: Int)
    case signIn(device: Int)
    /// Forgets the account and takes it again: they meet for the first time.
    case meetAgain(device: Int)
    /// Signs in to an account that may be another one, and merges what the device has with it.
    case join(device: Int, account: Int)
    /// A device's clock is put right or wrong.
    case setClock(device: Int, ahead: Int64)
    case lag(writes: Int)
    case emptyPages(Int)
    case forgetTombstones
    case backUp
    case restore
    /// Puts the last backup back behind the service's back.
    case putBack
    /// Forgets the marks of all numbers but the newest.
    case forgetHistory
    /// A service that knew no marks is replaced by one that does.
    case upgrade
  }

  /// What happens to a note's lines, at a place counted round and round.
  enum LineEdit: Hashable, Sendable {
    case insert(Int)
    case insertBlank(Int)
    case replace(Int)
    case remove(Int)
  }

  /// What happens during a round.
  struct Trouble: Hashable, Sendable {
    /// By the number of the call.
    var mishaps: [Int: Mishap] = [:]
    var interruptions: [Interruption] = []
    /// The answer, should so much have been deleted that somebody is asked.
    var keepsEverything = false
  }

  /// What somebody does while a call is on its way.
  struct Interruption: Hashable, Sendable {
    var call: Int
    /// Whether it happens on the way back.
    var isAfter: Bool
    var step: Step
  }
}

extension Step: CustomStringConvertible {
  var description: String { "\(id): \(action)" }
}

extension Step.Action: CustomStringConvertible {
  var description: String {
    switch self {
    case .wait(let time): "\(time) ms pass"
    case .favorite(let device, let ayah, let isFavorite):
      "device \(device) \(isFavorite ? "marks" : "unmarks") ayah \(ayah)"
    case .addNote(let device, let ayah, let lines):
      "device \(device) writes \(lines) lines on ayah \(ayah)"
    case .importNote(let device, let number, let hasOwnID):
      "device \(device) imports note \(number)\(hasOwnID ? " as its own" : "")"
    case .importDump(let device, let days): "device \(device) imports a dump \(days) days old"
    case .edit(let device, let note, let edits): "device \(device) edits note \(note): \(edits)"
    case .delete(let device, let note): "device \(device) deletes note \(note)"
    case .advance(let device, let surah, let ayah):
      "device \(device) reads surah \(surah) up to \(ayah)"
    case .setProgress(let device, let surah, let ayah):
      "device \(device) sets surah \(surah) to \(ayah)"
    case .set(let device, let key, let value):
      "device \(device) sets \(key) to \(value ?? "nothing")"
    case .fill(let device): "device \(device) marks a whole surah"
    case .empty(let device): "device \(device) unmarks everything"
    case .sync(let device, let trouble): "device \(device) syncs\(trouble)"
    case .signOut(let device): "device \(device) signs out"
    case .signIn(let device): "device \(device) signs in"
    case .meetAgain(let device): "device \(device) forgets the account and takes it again"
    case .join(let device, let account): "device \(device) joins account \(account)"
    case .setClock(let device, let ahead): "device \(device)'s clock is \(ahead) ms ahead"
    case .lag(let writes): "queries lag \(writes) writes behind"
    case .emptyPages(let count): "\(count) pages of the feed come empty"
    case .forgetTombstones: "the service forgets tombstones"
    case .backUp: "the service is backed up"
    case .restore: "the service is restored"
    case .putBack: "the service's files are put back"
    case .forgetHistory: "the service forgets its marks"
    case .upgrade: "the service is replaced by a newer one"
    }
  }
}

extension Step.Trouble: CustomStringConvertible {
  var description: String {
    var parts = mishaps.sorted { $0.key < $1.key }.map { "call \($0.key) \($0.value)" }
    parts += interruptions.map {
      "\($0.isAfter ? "after" : "before") call \($0.call) (\($0.step))"
    }
    if keepsEverything { parts.append("keeps everything") }
    return parts.map { "; " + $0 }.joined()
  }
}

/// A step of a simulation.
struct Step: Hashable, Sendable {
  /// Names the notes and lines that the step makes. It stays the same if earlier steps are removed.
  let id: Int
  var action: Action

  enum Action: Hashable, Sendable {
    /// - Parameter milliseconds: The time that passes on all devices.
    case wait(milliseconds: Int64)
    case favorite(device: Int, ayah: Int, Bool)
    case addNote(device: Int, ayah: Int, lines: Int)
    /// A note of the older app, which has the same text on every device that imports it.
    ///
    /// - Parameter hasOwnID: Whether the device imports it under an ID of its own.
    case importNote(device: Int, number: Int, hasOwnID: Bool)
    /// All data of the older app.
    ///
    /// - Parameter days: The age of the file.
    case importDump(device: Int, days: Int)
    /// - Parameter note: The index in the device's notes, modulo their number.
    case edit(device: Int, note: Int, [LineEdit])
    case delete(device: Int, note: Int)
    /// Opens a note in an editor, and saves it there with edits to the text that was opened.
    case openNote(device: Int, note: Int)
    case saveNote(device: Int, [LineEdit])
    case advance(device: Int, surah: Int, to: Int)
    case setProgress(device: Int, surah: Int, to: Int)
    case set(device: Int, key: Int, value: String?)
    /// Adds many favorites, and removes all favorites.
    case fill(device: Int)
    case empty(device: Int)
    case sync(device: Int, Trouble)
    case signOut(device: Int)
    case signIn(device: Int)
    /// Disconnects the account and connects it again, so that the next sync is a first one.
    case reconnect(device: Int)
    /// Deletes the device's account on the service, and signs out.
    case deleteAccount(device: Int)
    /// Signs in to an account, which may be another one, and merges the device's data with it.
    case join(device: Int, account: Int)
    /// Sets a device's clock.
    case setClock(device: Int, ahead: Int64)
    /// Makes a backup of a device's library, and restores it.
    ///
    /// - Parameter keepsService: The answer to the question which state is kept.
    case backUpLibrary(device: Int)
    case restoreLibrary(device: Int, keepsService: Bool)
    case lag(writes: Int)
    case emptyPages(Int)
    case forgetTombstones
    case backUp
    case restore
    /// Restores the last backup without the service's knowledge.
    case putBack
    /// Forgets the marks of all numbers except the newest.
    case forgetHistory
    /// Upgrades a service without marks.
    case upgrade
  }

  /// An edit of a note's lines. Indices are taken modulo the number of lines.
  enum LineEdit: Hashable, Sendable {
    case insert(Int)
    case insertBlank(Int)
    case replace(Int)
    case remove(Int)
  }

  /// The faults and interruptions of a round.
  struct Trouble: Hashable, Sendable {
    /// The faults by the number of the call.
    var faults: [Int: CallFault] = [:]
    var interruptions: [Interruption] = []
    /// The answer if the round asks about a mass deletion.
    var keepsEverything = false
  }

  /// A step that is performed during a call.
  struct Interruption: Hashable, Sendable {
    var call: Int
    /// Whether the step is performed after the service carried out the call.
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
    case .openNote(let device, let note): "device \(device) opens note \(note)"
    case .saveNote(let device, let edits): "device \(device) saves the opened note: \(edits)"
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
    case .reconnect(let device): "device \(device) forgets the account and takes it again"
    case .deleteAccount(let device): "device \(device) deletes the account"
    case .join(let device, let account): "device \(device) joins account \(account)"
    case .setClock(let device, let ahead): "device \(device)'s clock is \(ahead) ms ahead"
    case .backUpLibrary(let device): "device \(device)'s library is backed up"
    case .restoreLibrary(let device, let keepsService):
      "device \(device)'s library is restored, and keeps \(keepsService ? "the service" : "it")"
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
    var parts = faults.sorted { $0.key < $1.key }.map { "call \($0.key) \($0.value)" }
    parts += interruptions.map {
      "\($0.isAfter ? "after" : "before") call \($0.call) (\($0.step))"
    }
    if keepsEverything { parts.append("keeps everything") }
    return parts.map { "; " + $0 }.joined()
  }
}

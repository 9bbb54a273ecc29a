import Testing

@testable import Sync

/// Devices that stop at one of the first six calls of a round, before or after the service carried
/// it out, or do not receive its response.
@Suite struct CrashTests {
  /// Two devices that edit and delete the same notes without syncing in between.
  private static let actions: [Step.Action] = [
    .importNote(device: 0, number: 0, hasOwnID: false),
    .importNote(device: 1, number: 0, hasOwnID: true),
    .addNote(device: 0, ayah: 0, lines: 3),
    .addNote(device: 0, ayah: 1, lines: 2),
    .favorite(device: 1, ayah: 0, true),
    .sync(device: 0, .init()),
    .sync(device: 1, .init()),
    .edit(device: 0, note: 0, [.replace(0)]),
    .edit(device: 1, note: 0, [.replace(0), .insert(3)]),
    .edit(device: 0, note: 1, [.insert(0)]),
    .delete(device: 1, note: 1),
    .setProgress(device: 1, surah: 1, to: 4),
    .set(device: 0, key: 0, value: "1"),
    .sync(device: 1, .init()),
    .favorite(device: 1, ayah: 0, false),
    .sync(device: 0, .init()),
    .edit(device: 0, note: 0, [.insert(1)]),
    .sync(device: 1, .init()),
  ]

  @Test(
    arguments: [ModelService.Feed.on, .off], [CallFault.crashBefore, .crashAfter, .unanswered])
  func nothingIsLostWhereverADeviceStops(_ feed: ModelService.Feed, _ fault: CallFault) async throws
  {
    for (place, action) in Self.actions.enumerated() {
      guard case .sync(let device, _) = action else { continue }
      for call in 0..<6 {
        var actions = Self.actions
        actions[place] = .sync(device: device, Step.Trouble(faults: [call: fault]))
        let script = Script(
          seed: 1, feed: feed, pageSize: 2, clocks: [0, 0], signedIn: [true, true],
          steps: actions.enumerated().map { Step(id: $0.offset, action: $0.element) })
        do {
          _ = try await Simulation(script).run()
        } catch let failure as SimulationFailure {
          Issue.record("\(failure)\nafter\n\(script)")
        }
      }
    }
  }
}

import Dispatch
import Glibc
import Synchronization

/// Runs tasks on a thread of its own that gives way to all others: whoever reads is not to feel
/// that thousands of records are synced meanwhile. Threads that it starts give way as well.
final class QuietThread: TaskExecutor {
  private let queue = Queue()

  /// What is to be run, shared with the thread, which does not keep the executor alive.
  private final class Queue: Sendable {
    struct Entry: Sendable {
      let job: UnownedJob
      let executor: UnownedTaskExecutor
    }

    private let entries = Mutex<[Entry]>([])
    private let wakeUp = DispatchSemaphore(value: 0)

    func add(_ entry: Entry) {
      entries.withLock { $0.append(entry) }
      wakeUp.signal()
    }

    func end() { wakeUp.signal() }

    /// Waits for the next; nil at the end.
    func next() -> Entry? {
      wakeUp.wait()
      return entries.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  /// As nice(1) has it unless told otherwise.
  private static let niceness: Int32 = 10

  init() {
    let context = Unmanaged.passRetained(queue)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, QuietThread.niceness)
        let queue = Unmanaged<Queue>.fromOpaque(context!).takeRetainedValue()
        while let entry = queue.next() { entry.job.runSynchronously(on: entry.executor) }
        return nil
      }, context.toOpaque())
    precondition(code == 0, "no thread: \(code)")
    pthread_detach(thread)
  }

  deinit { queue.end() }

  func enqueue(_ job: consuming ExecutorJob) {
    queue.add(.init(job: UnownedJob(job), executor: asUnownedTaskExecutor()))
  }
}

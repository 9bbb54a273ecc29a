import CMalloc
import ServiceLifecycle

/// The background service that returns freed memory to the system every minute: the C library keeps
/// most of what a burst of large requests needed.
struct MemoryRelease: Service {
  /// The time between two releases.
  private static let interval = Duration.seconds(60)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        do { try await Task.sleep(for: Self.interval) } catch { return }
        malloc_trim(0)
      }
    }
  }
}

/// The memory of a server process.
public enum ServerMemory {
  /// Lets the C library allocate in two arenas, instead of up to eight for each processor. What is
  /// still used in an arena after a burst of requests keeps the pages around it, so that with many
  /// arenas only half of the memory can be returned to the system.
  ///
  /// Call it before the process starts threads.
  public static func limitArenas() {
    mallopt(M_ARENA_MAX, 2)
  }
}

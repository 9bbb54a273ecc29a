import ArgumentParser
import CloudRecords
import RecordServer

/// The options of `serve` that limit the number of operations of each account.
struct OperationRate: ParsableArguments {
  /// A number of operations per second, or no limit.
  enum PerSecond: ExpressibleByArgument, Equatable {
    case limit(Int64)
    case unlimited

    init?(argument: String) {
      if argument == Self.noneWord {
        self = .unlimited
      } else {
        guard let limit = Int64(argument) else { return nil }
        self = .limit(limit)
      }
    }

    private static let noneWord = "none"

    var defaultValueDescription: String {
      switch self {
      case .limit(let limit): "\(limit)"
      case .unlimited: Self.noneWord
      }
    }
  }

  /// The default limit.
  static let standard = PerSecond.limit(TokenBucket.Rate.user.perSecond)

  @Option(help: ArgumentHelp(CommandHelp.operationsPerSecond, valueName: "number"))
  var operationsPerSecond = OperationRate.standard

  @Option(help: ArgumentHelp(CommandHelp.operationsBurst, valueName: "number"))
  var operationsBurst = TokenBucket.Rate.user.burst

  func validate() throws {
    if case .limit(let limit) = operationsPerSecond,
      !TokenBucket.Rate.perSecondRange.contains(limit)
    {
      throw ValidationError(CommandMessages.invalidOperationsPerSecond)
    }
    guard TokenBucket.Rate.burstRange.contains(operationsBurst) else {
      throw ValidationError(CommandMessages.invalidOperationsBurst)
    }
  }

  /// The limit of each account; nil if there is no limit.
  var rate: TokenBucket.Rate? {
    switch operationsPerSecond {
    case .limit(let limit): TokenBucket.Rate(perSecond: limit, burst: operationsBurst)
    case .unlimited: nil
    }
  }
}

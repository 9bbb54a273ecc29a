import CloudRecords
import Library
import Messages
import RecordClient
import Sync
import Testing
import Text

/// Sentences about sync.
struct SyncFactsTests {
  /// Every error of a service is explained with its meaning and what to do.
  @Test(arguments: ErrorCode.allCases + [.other("NEW_CODE")])
  func everyCodeComesWithAdvice(_ code: ErrorCode) {
    let error = ServiceError(code, reason: "lý do")
    let said = [Language.vietnamese, .english].map { Messages($0).explain(error) }
    #expect(said[0] != said[1])
    for sentence in said {
      #expect(sentence.contains("; "), "\(sentence)")
      #expect(!sentence.hasPrefix(code.rawValue))
    }
    let stored = SyncProblem.service(code: code.rawValue, reason: "lý do")
    #expect(Messages(.vietnamese).explain(stored) == said[0])
  }

  @Test(
    arguments: [
      (.recordNotCreated(reason: "x"), "has no place for records of this type (x);"),
      (.recordNotCreated(reason: nil), "has no place for records of this type;"),
      (.unreachable(network: "noNetwork"), "cannot be reached (no network);"),
      (.unreachable(network: "later"), "cannot be reached (later);"),
      (.answerLost(network: "tooSlow"), "did not answer (it took too long);"),
      (
        .unexpectedAnswer(status: 200, problem: "redirect", contentType: nil),
        "(200, a redirect, which is not followed);"
      ),
      (.endlessPages(count: 100), "sent 100 pages"), (.unfinishedPages(count: 5000), "5000 pages"),
      (.recordTooLarge(bytes: 1_200_000), "1200000 bytes are too large"),
      (
        .storageLimitReached(records: 1_000_000, bytes: 8_000_000_000),
        "(1000000 records or 8 GB)"
      ),
      (.recordUnreadable, "cannot be read and is not overwritten;"),
      (.historyForked, "went back to an earlier time;"),
      (.massDeletion(counts: [.note: 30], isProfileGone: true), "would delete 30 notes here"),
      (.unknown, "It was not sent; try again"),
    ] as [(SyncProblem, String)])
  func everyProblemIsExplainedInBothLanguages(_ problem: SyncProblem, _ part: String) {
    let english = Messages(.english).explain(problem)
    let vietnamese = Messages(.vietnamese).explain(problem)
    #expect(english.contains(part), "\(english)")
    #expect(vietnamese != english && !vietnamese.isEmpty)
  }

  /// The sentences are distinct and in the language of the interface.
  @Test(arguments: [Language.vietnamese, .english])
  func everyNetworkProblemHasADistinctSentence(_ language: Language) {
    let said = NetworkProblem.allCases.map {
      Messages(language).explain(CallFailure.unreachable($0))
    }
    #expect(Set(said).count == NetworkProblem.allCases.count)
    for (sentence, problem) in zip(said, NetworkProblem.allCases)
    where language == .vietnamese {
      #expect(!sentence.contains(problem.rawValue), "\(sentence)")
    }
  }

  @Test(arguments: [Language.vietnamese, .english])
  func unexpectedResponsesAreExplained(_ language: Language) {
    let messages = Messages(language)
    let said = UnexpectedResponse.Problem.allCases.map { problem in
      let answer = UnexpectedResponse(status: 200, problem, contentType: "text/html")
      let sentence = messages.explain(CallFailure.unexpectedResponse(answer))
      #expect(sentence.contains("200, text/html, "))
      return sentence
    }
    #expect(Set(said).count == said.count)
  }

  @Test(arguments: [Language.vietnamese, .english])
  func problemsOfAddressesAndCredentialsAreExplained(_ language: Language) {
    let messages = Messages(language)
    for problem in AddressProblem.allCases {
      #expect(
        messages.explain(CallFailure.untrustedURL(problem)) == messages.explainUntrusted(problem))
    }
    let credentials = Set(
      CredentialsProblem.allCases.map { messages.explain(CallFailure.credentials($0)) })
    #expect(credentials.count == CredentialsProblem.allCases.count)
    #expect(!credentials.contains(messages.explain(SyncProblem.credentials(problem: "?"))))
  }
}

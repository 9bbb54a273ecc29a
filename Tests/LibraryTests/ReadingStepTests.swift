import Library
import Quran
import Testing

@Suite struct ReadingStepTests {
  @Test func theReadingStepIsAgainNextOrAhead() throws {
    let surah = try #require(SurahNumber(2))
    var snapshot = Snapshot()
    #expect(snapshot.readingStep(at: surah.firstAyah) == .next)
    #expect(snapshot.readingStep(at: surah.ayah(clamping: 2)) == .ahead)
    snapshot.anticipate(.setProgress(surah, to: 5), at: 1)
    for (ayah, step) in [(1, Snapshot.ReadingStep.again), (5, .again), (6, .next), (7, .ahead)] {
      #expect(snapshot.readingStep(at: surah.ayah(clamping: ayah)) == step, "\(ayah)")
    }
    snapshot.anticipate(.setProgress(surah, to: surah.ayahCount), at: 2)
    #expect(snapshot.readingStep(at: surah.lastAyah) == .again)
  }
}

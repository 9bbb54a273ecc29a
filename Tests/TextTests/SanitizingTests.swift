import TestSupport
import Testing
import Text

// The texts are not test arguments, because arguments are printed unescaped.
struct SanitizingTests {
  @Test func harmlessTextIsUnchanged() {
    let texts: [String] = [
      "", "Nhân danh Allah", "Nhân danh".decomposed, "hai\ndòng", "“‘Hãy’” – …", "بِسۡمِ ٱللَّهِ",
      "👨‍👩‍👧‍👦 🇻🇳 ❤️", "日本語 한국", "\u{06DD}٢٥٥", "a\u{200B}b\u{AD}c\u{FEFF}",
      "لا\u{200C}اله", "\u{E000}",
    ]
    for text in texts {
      #expect(text.sanitizedForTerminal.scalars == text.scalars)
    }
  }

  @Test func controlCharactersAreRemoved() {
    let texts: [(String, String)] = [
      ("\u{1B}[31mđỏ\u{1B}[0m", "[31mđỏ[0m"),
      ("\u{1B}]0;title\u{7}x", "]0;titlex"),
      ("\u{9B}31m\u{9D}0;t\u{9C}", "31m0;t"),
      ("a\u{0}b\u{8}c\u{7F}d\u{E}e\u{F}", "abcde"),
      ("a\tb", "a b"),
      ("\t\u{1B}P", " P"),
    ]
    for (text, shown) in texts {
      #expect(text.sanitizedForTerminal.scalars == shown.scalars)
    }
  }

  @Test func everyLineBreakBecomesALineFeed() {
    let texts: [String] = [
      "a\r\nb", "a\rb", "a\nb", "a\u{85}b", "a\u{2028}b", "a\u{2029}b",
    ]
    for text in texts {
      #expect(text.sanitizedForTerminal == "a\nb")
      #expect(text.sanitizedLine == "a b")
    }
  }

  @Test func consecutiveLineBreaksAreKept() {
    #expect("\r\r\n\n\n\r".sanitizedForTerminal == "\n\n\n\n\n")
    #expect("\r\r\n\n\n\r".sanitizedLine == "     ")
    #expect("a\n\u{301}".sanitizedLine == "a \u{25CC}\u{301}")
  }

  @Test func bidirectionalControlsOutsideIsolatesAreRemoved() {
    for control in [
      "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}",
      "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    ] {
      #expect("a\(control)b".sanitizedForTerminal == "ab")
      #expect("\u{2069}a\(control)\u{2066}b".sanitizedForTerminal == "ab")
    }
  }

  @Test func balancedIsolatesAndTheirContentAreKept() {
    let texts: [String] = [
      "a\u{2066}b\u{2069}c",
      "\u{2067}x\u{202E}y\u{202C}\u{2069}",
      "\u{2068}\u{202E}\u{2066}\u{200F}z\u{2069}\u{61C}\u{2069}",
    ]
    for text in texts {
      #expect(text.sanitizedForTerminal.scalars == text.scalars)
    }
  }

  @Test func unbalancedIsolatesOfALineAreRemoved() {
    let texts: [(String, String)] = [
      // The outer isolate is not closed, the inner one is.
      ("\u{2066}\u{202E}a\u{2067}\u{202D}b\u{2069}c", "a\u{2067}\u{202D}b\u{2069}c"),
      // Closed twice.
      ("\u{2066}a\u{2069}\u{2069}b", "\u{2066}a\u{2069}b"),
      // Closed on the next line.
      ("\u{2066}a\nb\u{2069}", "a\nb"),
      ("\u{2066}a\rb\u{2069}", "a\nb"),
      ("\u{2066}\u{202E}a\u{2029}b\u{2069}", "a\nb"),
      // Controls before, between and after isolates.
      (
        "\u{202E}\u{2066}a\u{2069}\u{202E}\u{2066}b\u{2069}\u{202E}",
        "\u{2066}a\u{2069}\u{2066}b\u{2069}"
      ),
    ]
    for (text, shown) in texts {
      #expect(text.sanitizedForTerminal.scalars == shown.scalars)
    }
  }

  @Test func manyNestedIsolatesTakeLinearTime() {
    let inner = String(repeating: "\u{202E}", count: 50_000)
    let pairs = String(repeating: "\u{2066}\u{2069}", count: 50_000)
    let text = "\u{2067}\(inner)\(pairs)\u{2069}"
    #expect(text.sanitizedForTerminal.scalars == text.scalars)
  }

  @Test func aMarkWithoutALetterGetsADottedCircle() {
    let texts: [(String, String)] = [
      ("\u{301}a", "\u{25CC}\u{301}a"),
      ("\u{301}\u{302}a\u{301}", "\u{25CC}\u{301}\u{302}a\u{301}"),
      ("a\n\u{301}", "a\n\u{25CC}\u{301}"),
      ("\u{64E}ب", "\u{25CC}\u{64E}ب"),
      ("\u{1B}\u{301}", "\u{25CC}\u{301}"),
      ("\u{FE0F}", "\u{25CC}\u{FE0F}"),
      // A joiner can carry marks, other invisible characters cannot.
      ("a\u{200B}\u{301}", "a\u{200B}\u{25CC}\u{301}"),
      ("a\u{FEFF}\u{301}", "a\u{FEFF}\u{25CC}\u{301}"),
      ("a\u{2066}\u{301}\u{2069}\u{301}", "a\u{2066}\u{25CC}\u{301}\u{2069}\u{25CC}\u{301}"),
      ("a\u{200D}\u{301}", "a\u{200D}\u{301}"),
    ]
    for (text, shown) in texts {
      #expect(text.sanitizedForTerminal.scalars == shown.scalars)
    }
  }

  @Test func sanitizingRandomTextIsSafeAndIdempotent() {
    var random = SeededGenerator(seed: 1)
    let alphabet =
      "aấ \n\r\t\u{1B}\u{9B}\u{301}\u{64E}\u{200B}\u{200D}\u{200F}\u{202E}\u{202C}"
      + "\u{2066}\u{2067}\u{2069}\u{2028}\u{FE0F}\u{6DD}بـ👩日🇻\u{1160}"
    let marks: [Unicode.GeneralCategory] = [.nonspacingMark, .enclosingMark, .spacingMark]
    for _ in 0..<3000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.append(alphabet.unicodeScalars.randomElement(using: &random)!)
      }
      let shown = String(text).sanitizedForTerminal
      for scalar in shown.unicodeScalars {
        #expect(scalar == "\n" || scalar.properties.generalCategory != .control)
      }
      for cluster in shown {
        let first = cluster.unicodeScalars.first!.properties.generalCategory
        #expect(!marks.contains(first), "\(shown.scalars)")
      }
      #expect(shown.sanitizedForTerminal.scalars == shown.scalars)
      #expect(!String(text).sanitizedLine.utf8.contains(0x0A))
      // All visible characters are kept, in order.
      func letters(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { "aấبـ👩日🇻\u{301}\u{64E}".unicodeScalars.contains($0) }
      }
      #expect(letters(shown) == letters(String(text)))
    }
  }

  @Test func aLetterWithManyMarksIsCut() {
    let marks = String(repeating: "\u{300}", count: 400_000)
    #expect(("a" + marks + "b").sanitizedLine.scalars.count == 1 + 30 + 1)
    #expect(("x" + marks + "\u{302}y" + marks).sanitizedForTerminal.scalars.count == 2 * 31)
    let joiners = String(repeating: "\u{200D}", count: 400_000)
    #expect(("a" + joiners).sanitizedLine.scalars.count == 1 + 30)
    let selectors = String(repeating: "\u{1F3FD}", count: 400_000)
    #expect(("👍" + selectors).sanitizedLine.scalars.count == 1 + 30)
    // No writing system needs more marks than these.
    let stacked = "ห้" + String(repeating: "\u{E49}", count: 28)
    #expect(stacked.sanitizedLine.scalars == stacked.scalars)
  }
}

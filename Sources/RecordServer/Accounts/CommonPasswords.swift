import Text

/// A list of passwords that are easy to guess: common words, common words followed by digits, and
/// sequences of letters or digits, such as `abcdefgh`.
enum CommonPasswords {
  /// Whether a password is easy to guess. Case, diacritics, spaces and punctuation are ignored, and
  /// so are digits before and after a word.
  static func contain(_ password: String) -> Bool {
    let characters = Array(password.folded.filter { $0.isLetter || $0.isNumber })
    guard !characters.isEmpty else { return Set(password).count < 3 }
    // One or two different characters, such as `aaaaaaaaaa` and `1212121212`.
    if Set(characters).count < 3 { return true }
    if isSequence(characters) || isRepeated(characters) { return true }
    let text = String(characters)
    let word = String(characters.trimmingDigits)
    return words.contains(text) || words.contains(word)
  }

  /// Words and phrases without spaces in folded form. Those that begin or end with digits are only
  /// compared with whole passwords.
  private static let words: Set<String> = [
    // Of all services.
    "password", "passwort", "passw0rd", "p4ssword", "pssword", "pass", "passphrase", "secret",
    "mypassword", "password1password", "letmein", "welcome", "welcomeback", "changeme",
    "administrator", "admin",
    "root", "user", "guest", "login", "default", "test", "testtest", "testing", "temporary",
    "iloveyou", "iloveu", "loveyou", "loveme", "princess", "sunshine", "football", "baseball",
    "basketball", "superman", "batman", "spiderman", "starwars", "pokemon", "dragon", "monkey",
    "master", "michael", "jennifer", "jessica", "computer", "internet", "whatever", "trustno",
    "freedom", "blessed", "liverpool", "manchester", "arsenal", "chelsea", "barcelona",
    "realmadrid", "facebook", "google", "samsung", "iphone", "android", "microsoft", "windows",
    // Rows of keyboards, and letters beside digits.
    "qwerty", "qwertyui", "qwertyuiop", "qwertz", "qwertzuiop", "azerty", "azertyuiop", "asdf",
    "asdfgh", "asdfghjk", "asdfghjkl", "zxcvbn", "zxcvbnm", "qwertyasdf", "qwertyasdfgh",
    "qwertyuiopasdfghjkl", "qazwsx", "qazwsxedc", "1qaz2wsx3edc", "1qazxsw23edc", "1q2w3e4r5t",
    "1q2w3e4r5t6y", "q1w2e3r4t5", "q1w2e3r4t5y6", "1a2b3c4d5e", "a1b2c3d4e5", "zaq12wsxcde3",
    "abc", "abcd", "abcde", "abcdef", "abcabc", "aabbcc", "qweasdzxc", "123qweasd", "123qweasdzxc",
    // Of Vietnamese users.
    "matkhau", "matkhaumoi", "matkhaucuatoi", "khongcomatkhau", "khongbiet", "anhyeuem", "emyeuanh",
    "yeuem", "yeuanh", "yeumai", "yeumaimai", "anhnhoem", "emnhoanh", "toiyeuem", "toiyeuvietnam",
    "vietnam", "vietnamvodich", "vietnamquetoi", "saigon", "hanoi", "danang", "gaubong", "congchua",
    "hoangtu", "giadinh", "giadinhtoi", "bome", "concuame", "contrai", "congai",
    "hanhphuc", "tinhyeu", "xinchao", "chaoban", "nguyenvana", "nguyen", "truong",
    // Of readers of the Quran.
    "bismillah", "bismillahirrahmanirrahim", "alhamdulillah", "subhanallah", "mashallah",
    "inshallah", "insyaallah", "allahuakbar", "lailahaillallah", "astaghfirullah",
    "assalamualaikum", "salamalaikum", "allah", "muhammad", "mohammed", "muhammadsaw", "islam",
    "muslim", "quran", "alquran", "kinhquran", "ramadan", "ramadhan", "makkah", "madinah",
    "fatimah", "abdullah",
  ]

  /// Whether each character follows the one before it, forwards or backwards, in the order of
  /// digits (0 follows 9) or letters.
  private static func isSequence(_ characters: [Character]) -> Bool {
    let values = characters.compactMap(\.asciiValue).map(Int.init)
    guard values.count == characters.count else { return false }
    let steps = zip(values, values.dropFirst()).map { $1 - $0 }
    return steps.allSatisfy { $0 == 1 || $0 == -9 } || steps.allSatisfy { $0 == -1 || $0 == 9 }
  }

  /// Whether the characters are a group of at most five and its repetitions. At least one of these
  /// is complete, the last one need not be.
  private static func isRepeated(_ characters: [Character]) -> Bool {
    (1...5).contains { length in
      characters.count >= 2 * length
        && zip(characters, characters.dropFirst(length)).allSatisfy { $0 == $1 }
    }
  }
}

extension [Character] {
  /// The characters without the digits at both ends.
  fileprivate var trimmingDigits: ArraySlice<Character> {
    let head = drop { $0.isNumber }
    return head.prefix(through: head.lastIndex { !$0.isNumber } ?? head.endIndex - 1)
  }
}

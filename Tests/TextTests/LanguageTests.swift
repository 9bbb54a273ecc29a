import Testing
import Text

struct LanguageTests {
  @Test(arguments: [
    ([:], Language.vietnamese),
    (["LANG": ""], .vietnamese),
    (["LC_ALL": "", "LC_MESSAGES": "", "LANG": ""], .vietnamese),
    (["LANG": "vi_VN.UTF-8"], .vietnamese),
    (["LANG": "vi"], .vietnamese),
    (["LANG": "VI_vn"], .vietnamese),
    (["LANG": "C"], .english),
    (["LANG": "C.UTF-8"], .english),
    (["LANG": "POSIX"], .english),
    (["LANG": "en_US.UTF-8"], .english),
    (["LANG": "fr_FR.UTF-8"], .english),
    (["LC_MESSAGES": "vi_VN", "LANG": "en_US"], .vietnamese),
    (["LC_MESSAGES": "en_US", "LANG": "vi_VN"], .english),
    (["LC_ALL": "en_US", "LC_MESSAGES": "vi_VN", "LANG": "vi_VN"], .english),
    (["LC_ALL": "vi_VN", "LC_MESSAGES": "C", "LANG": "C"], .vietnamese),
    (["LC_ALL": "", "LC_MESSAGES": "en_US", "LANG": "vi_VN"], .english),
    (["LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_US"], .english),
    (["LC_CTYPE": "en_US", "LANGUAGE": "en"], .vietnamese),
  ])
  func theFirstVariableThatIsSetDecides(_ environment: [String: String], language: Language) {
    #expect(Language(environment: environment) == language)
  }
}

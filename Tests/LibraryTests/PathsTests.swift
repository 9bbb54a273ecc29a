import Library
import Testing

struct PathsTests {
  @Test func pathsFollowTheXDGVariables() {
    let paths = Paths(environment: [
      "HOME": "/home/a", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c",
    ])
    #expect(paths.data == "/d/quran-vi")
    #expect(paths.config == "/c/quran-vi")
    #expect(paths.libraryPath == "/d/quran-vi/library.sqlite")
    #expect(paths.configFile == "/c/quran-vi/config.toml")
  }

  @Test func unsetEmptyOrRelativeXDGPathsAreUnderHome() {
    for value in [nil, "", "relative", "./x", "~/x"] {
      var environment = ["HOME": "/home/a"]
      for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        environment[name] = value
      }
      let paths = Paths(environment: environment)
      #expect(paths.data == "/home/a/.local/share/quran-vi")
      #expect(paths.config == "/home/a/.config/quran-vi")
    }
  }

  @Test func onlyAnAbsoluteHomeCounts() {
    for environment in [[:], ["HOME": ""], ["HOME": "relative"], ["HOME": "./x"]] {
      let paths = Paths(environment: environment) { "/home/of-user" }
      #expect(paths.data == "/home/of-user/.local/share/quran-vi")
    }
    #expect(Paths(environment: ["HOME": "/h"]) { "/x" }.config == "/h/.config/quran-vi")
  }

  @Test func withoutAHomeThereAreNoDefaultPaths() {
    for home in [nil, "", "relative"] {
      let paths = Paths(environment: ["HOME": "x", "XDG_DATA_HOME": "/d"]) { home }
      #expect(paths.configFile == nil)
      #expect(paths.config == nil)
      #expect(paths.data == "/d/quran-vi")
    }
  }
}

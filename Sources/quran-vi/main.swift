import Editions
import Glibc
import FoundationEssentials
import Reader
import Terminal
import Words

let environment = ProcessInfo.processInfo.environment
let wake = WakeUp()
let screen = try TerminalDevice(environment: environment, mouse: true, wakeUp: wake)
let file = StateFile(path: "/tmp/qv-state/state.json")
let model = Model(edition: .bundled, words: Words(Language(environment: environment)), size: screen.size, state: file.load())
try ReaderSession(screen: screen, stateFile: file).run(model, wakeUp: wake)
screen.close()

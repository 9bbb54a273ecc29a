import CloudRecords
import Foundation
import TestSupport

/// One of the five schemas in `Resources/schema`. The raw value is the name of its file.
enum AppSchema: String, CaseIterable, Sendable {
  case quran = "quran-vi"
  case fameFit = "famefit"
  case sydoku
  case fitIQ = "fitiq"
  case tribeBoard = "tribeboard"

  var container: ContainerID {
    switch self {
    case .quran: ContainerID("iCloud.donald.kvietnamisht")!
    case .fameFit: ContainerID("iCloud.org.example.famefit")!
    case .sydoku: ContainerID("iCloud.org.example.sydoku")!
    case .fitIQ: ContainerID("iCloud.org.example.fitiq")!
    case .tribeBoard: ContainerID("iCloud.net.dataenvy.TribeBoard")!
    }
  }

  private var file: URL { checkout.appending(path: "Resources/schema/\(rawValue).ckdb") }

  var schema: Schema {
    get throws { try Schema(parsing: String(contentsOf: file, encoding: .utf8)) }
  }
}

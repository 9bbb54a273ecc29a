import FoundationEssentials
import Glibc

extension DataModel {
  /// Reads a model from the bytes of its file.
  public init(parsing bytes: some Sequence<UInt8>) throws(ModelError) {
    var iterator = bytes.makeIterator()
    let builder = ModelBuilder()
    try XMLReader.read(
      { buffer throws(ModelError) in
        var count = 0
        while count < buffer.count, let byte = iterator.next() {
          buffer[count] = byte
          count += 1
        }
        return count
      }, to: builder)
    self = try builder.model()
  }

  /// Reads a model from its file, the one with the name `contents`.
  public init(contentsOf path: String) throws(ModelError) {
    let builder = ModelBuilder()
    try ModelFile.read(path, to: builder)
    do {
      self = try builder.model()
    } catch {
      throw error.at(path)
    }
  }
}

/// The file of a model, which can be one of several versions.
public struct ModelFile: Hashable, Sendable {
  /// The path of the XML file.
  public let path: String
  /// Whether it is the current version; nil if it is not a version of a `.xcdatamodeld`, or if that
  /// has several versions and does not say which is the current one.
  public let isCurrent: Bool?

  /// Finds the models at a path.
  ///
  /// - Parameter path: an XML file, a `.xcdatamodel` folder with the file `contents`, or a
  ///   `.xcdatamodeld` folder with several such folders. The file `.xccurrentversion` in it, a
  ///   property list, names the current version.
  /// - Returns: One file, or all versions, sorted by their names.
  public static func all(at path: String) throws(ModelError) -> [ModelFile] {
    var information = stat()
    guard stat(path, &information) == 0 else {
      throw ModelError(.unreadable(errno), path: path)
    }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      return [ModelFile(path: path, isCurrent: nil)]
    }
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    let contents = "\(folder)/contents"
    if stat(contents, &information) == 0 { return [ModelFile(path: contents, isCurrent: nil)] }

    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw ModelError(.unreadable(EACCES), path: path)
    }
    let versions = names.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
    guard !versions.isEmpty else { throw ModelError(.notAModel, path: path) }
    let current = try currentVersion(of: folder, among: versions)
    return versions.map { name in
      ModelFile(
        path: "\(folder)/\(name)/contents", isCurrent: current.map { current in current == name })
    }
  }

  /// Finds the model at a path: the file, or the current version.
  public static func current(at path: String) throws(ModelError) -> ModelFile {
    let files = try all(at: path)
    if files.count == 1 { return files[0] }
    guard let current = files.first(where: { $0.isCurrent == true }) else {
      throw ModelError(.noCurrentVersion, path: path)
    }
    return current
  }

  /// Returns the name of the current version of a `.xcdatamodeld` folder; nil if the folder has
  /// several versions and no file `.xccurrentversion`.
  private static func currentVersion(
    of folder: String, among versions: [String]
  ) throws(ModelError) -> String? {
    let path = "\(folder)/.xccurrentversion"
    var information = stat()
    guard stat(path, &information) == 0 else { return versions.count == 1 ? versions[0] : nil }
    let list = CurrentVersionList()
    try read(path, allowsDocumentType: true, to: list)
    guard let name = list.name, versions.contains(name) else {
      throw ModelError(.unknownCurrentVersion(list.name), path: path)
    }
    return name
  }

  /// Reads an XML file. One that is too large is not read at all, unless it is a pipe.
  static func read(
    _ path: String, allowsDocumentType: Bool = false, to handler: any XMLElementHandler
  ) throws(ModelError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ModelError(.unreadable(errno), path: path) }
    defer { close(descriptor) }
    var information = stat()
    if fstat(descriptor, &information) == 0, information.st_size > DataModel.Limits.fileBytes {
      throw ModelError(.tooLarge, path: path)
    }
    do {
      try XMLReader.read(
        { buffer throws(ModelError) in
          while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw ModelError(.unreadable(errno)) }
          }
        }, allowsDocumentType: allowsDocumentType, to: handler)
    } catch {
      throw error.at(path)
    }
  }
}

extension ModelError {
  /// The error, with the path of the file in which it is.
  fileprivate func at(_ path: String) -> ModelError {
    ModelError(problem, path: path, line: line)
  }
}

/// The file `.xccurrentversion`: a property list with one key, `_XCCurrentVersionName`.
private final class CurrentVersionList: XMLElementHandler {
  /// The name of the folder with the current version.
  private(set) var name: String?
  private var key = ""
  private var text = ""
  private var open: [String] = []

  func start(_ element: XMLElement) throws(ModelError) {
    open.append(element.name)
    text = ""
  }

  func text(_ part: String) {
    if text.utf8.count <= DataModel.Limits.nameBytes { text += part.prefix(1000) }
  }

  func end() {
    switch open.popLast() {
    case "key": key = text
    case "string" where key == "_XCCurrentVersionName" && open == ["plist", "dict"]: name = text
    default: break
    }
    text = ""
  }
}

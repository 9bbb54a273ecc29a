import CloudRecords
public import Library
public import RecordClient

/// Creates clients of a library's service.
public enum ClientFactory {
  /// The container of the Quran reader and of the phone app.
  public static let container = "iCloud.donald.kvietnamisht"

  /// Why no client can be created.
  public enum Problem: Error, Hashable, Sendable {
    /// The credentials could not be read.
    case credentials(CredentialFile.Problem)
    /// The address of the service is not valid.
    case address(AddressProblem)
    /// The string is not a container identifier.
    case container(String)
    /// The string is not an environment of a container.
    case containerEnvironment(String)
    /// A variable of the process's environment is not valid.
    case environment(ClientOptions.Problem)
  }

  /// Returns the service's address from a credential file.
  ///
  /// - Parameter content: The content of the file.
  /// - Throws: `container`, `containerEnvironment` or `address`.
  public static func address(
    of content: CredentialFile.Content
  ) throws(Problem) -> ServiceAddress {
    guard let container = ContainerID(content.container) else {
      throw .container(content.container)
    }
    guard let environment = ContainerEnvironment(rawValue: content.environment) else {
      throw .containerEnvironment(content.environment)
    }
    do {
      return try ServiceAddress(content.origin, container: container, environment: environment)
    } catch {
      throw .address(error)
    }
  }

  /// Returns a client with the credentials of a file.
  ///
  /// - Parameters:
  ///   - file: The credential file of the library.
  ///   - account: The account of the library.
  ///   - processEnvironment: The environment variables of the process, which may name trusted
  ///     certificate authorities. libcurl itself reads the variables that name proxies.
  /// - Throws: `credentials(.missing)` if there is no credential file; `credentials(.otherAccount)`
  ///   if the file belongs to another account; another `credentials` problem, `address`,
  ///   `container` or `containerEnvironment` if the file is not valid; `environment` if a variable
  ///   of the process's environment is not valid.
  public static func open(
    _ file: CredentialFile, for account: SyncAccount, processEnvironment: [String: String]
  ) throws(Problem) -> RecordClient {
    let content: CredentialFile.Content?
    do { content = try file.load() } catch { throw .credentials(error) }
    guard let content else { throw .credentials(.missing) }
    guard content.belongs(to: account) else { throw .credentials(.otherAccount) }
    let address = try address(of: content)
    let credentials = AccountCredentials(file: file, account: account)
    do {
      return RecordClient(
        address, credentials: credentials, options: try .environment(processEnvironment))
    } catch {
      throw .environment(error)
    }
  }
}

import CloudRecords
public import Library
public import RecordClient

/// How a library gets to its service.
public enum Connection {
  /// The container of the Quran reader, which the phone app has, too.
  public static let container = "iCloud.donald.kvietnamisht"

  public enum Problem: Error, Hashable, Sendable {
    case credentials(CredentialFile.Problem)
    case address(AddressProblem)
    /// It is the name of no container.
    case container(String)
    case environment(ClientOptions.Problem)
  }

  /// Where a file says that the service is.
  public static func address(
    of content: CredentialFile.Content
  ) throws(Problem) -> ServiceAddress {
    guard let container = ContainerID(content.container),
      let environment = ContainerEnvironment(rawValue: content.environment)
    else { throw .container(content.container) }
    do {
      return try ServiceAddress(content.origin, container: container, environment: environment)
    } catch {
      throw .address(error)
    }
  }

  /// A client with the credentials of a file.
  ///
  /// - Parameters:
  ///   - account: the one that the library belongs to.
  ///   - environment: says whom to trust. Proxies are those of the process.
  /// - Throws: `.credentials`: `missing` where nobody is connected, `otherAccount` where somebody
  ///   else is.
  public static func open(
    _ file: CredentialFile, for account: SyncAccount, environment: [String: String]
  ) throws(Problem) -> RecordClient {
    let content: CredentialFile.Content?
    do { content = try file.load() } catch { throw .credentials(error) }
    guard let content else { throw .credentials(.missing) }
    guard content.isOf(account) else { throw .credentials(.otherAccount) }
    let address = try address(of: content)
    let credentials = AccountCredentials(file: file, account: account)
    do {
      return RecordClient(
        address, credentials: credentials, options: try .environment(environment))
    } catch {
      throw .environment(error)
    }
  }
}

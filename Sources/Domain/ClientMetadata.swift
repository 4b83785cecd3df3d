/// What an app says of itself when it registers (RFC 7591 §2, OpenID Connect Registration §2), before it is judged.
///
/// What was not sent is `nil` or empty.
public struct ClientMetadata: Sendable, Equatable {
  /// Where an app runs, which decides how people may return to it (OpenID Connect Registration §2).
  public enum ApplicationType: String, Sendable, CaseIterable {
    case web
    case native
  }

  public var name: String?
  public var applicationType: String?
  public var redirectURIs: [String] = []
  public var grants: [String]?
  public var responseTypes: [String]?
  public var scope: String?
  public var authentication: String?
  /// At most one of them is right.
  public var keys: [ClientOptions.Keys] = []
  public var certificateSubjects: [CertificateSubject] = []
  public var idTokenAlgorithm: String?
  public var userInfoAlgorithm: String?
  public var subjectType: String?
  public var sectorIdentifier: String?
  /// What somebody signed about the app (RFC 7591 §2.3).
  public var softwareStatement: String?
  public var postLogoutRedirectURIs: [String] = []
  public var backchannelLogoutURI: String?
  public var backchannelNeedsSession = false
  public var requiresDPoP = false
  public var bindsToCertificate = false
  public var requiresPushedRequests = false
  public var description = ClientDescription()

  public init() {}
}

/// What an app tells people and administrators about itself; nothing that it may do depends on it.
public struct ClientDescription: Sendable, Equatable {
  public var applicationType = ClientMetadata.ApplicationType.web
  /// The app's own page (`client_uri`).
  public var page: String?
  /// Kept, and never fetched or shown: a picture of a stranger's choosing lends trust that nobody gave.
  public var logo: String?
  public var terms: String?
  public var policy: String?
  public var contacts: [String] = []
  public var softwareID: String?
  public var softwareVersion: String?

  public init() {}

  /// The addresses by their registered names (RFC 7591 §2).
  public static var addresses: [(name: String, path: WritableKeyPath<ClientDescription, String?>)] {
    [("client_uri", \.page), ("logo_uri", \.logo), ("tos_uri", \.terms), ("policy_uri", \.policy)]
  }

  /// What is wrong with it.
  var objection: String? {
    for (name, path) in Self.addresses {
      if let url = self[keyPath: path], !(ResourceURL(url)?.isHTTPS ?? false) {
        return "\(name) is an https URL, without a fragment."
      }
    }
    guard contacts.count <= 10, contacts.allSatisfy(DisplayName.isPlain) else {
      return "contacts holds at most 10 texts of 1 to 100 bytes each."
    }
    guard [softwareID, softwareVersion].allSatisfy({ $0.map(DisplayName.isPlain) ?? true }) else {
      return "software_id and software_version are texts of 1 to 100 bytes."
    }
    return nil
  }
}

/// A file with a client certificate and its private key, as a person chose it, with the passphrase that opens it.
public struct TypedCertificate: Sendable, Equatable {
  public let file: Secret
  /// Byte for byte; empty for a file without one.
  public let passphrase: Secret
  /// Whether it is to be shown to the server although that names other authorities.
  public let isForAnyAuthority: Bool

  public init(file: Secret, passphrase: Secret, isForAnyAuthority: Bool = false) {
    self.file = file
    self.passphrase = passphrase
    self.isForAnyAuthority = isForAnyAuthority
  }

  /// In bytes.
  public static let largestFile = 64 * 1024

  /// What is wrong with it before anybody looks into it, with the field to mend.
  public var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    let count = file.revealed.count
    if count == 0 {
      found.append(("file", "Choose the file with your certificate."))
    } else if count > Self.largestFile {
      found.append(("file", "The file is larger than 64 KiB, which no certificate file is. Choose another one."))
    }
    if passphrase.revealed.count > 1024 { found.append(("passphrase", "A passphrase has at most 1024 bytes.")) }
    return found
  }
}

/// Why a client certificate did not connect a service, told apart by what the person can do.
public enum CertificateProblem: Sendable, Equatable {
  case file(FileProblem)
  case expired(Timestamp)
  case notYetValid(Timestamp)
  /// The server names the authorities that it accepts, and none of them issued the certificate; nothing was sent.
  case otherAuthority(accepted: [String], issuer: String)
  /// The server would not take it.
  case refused(Refusal)

  public enum FileProblem: String, Sendable, CaseIterable {
    case damaged
    case wrongPassphrase = "wrong passphrase"
    case noPrivateKey = "no private key"
    case noCertificate = "no certificate"
    /// The private key belongs to none of the certificates.
    case otherKey = "key of another certificate"
    /// It asks for more work than any honest file.
    case tooCostly = "too costly"
    case unsuitableKey = "unsuitable key"
    case unknownEncryption = "unknown encryption"
    /// Gatehouse had no place to look into it.
    case notRead = "not read"
  }

  /// By what the server ended the connection (RFC 8446 §6.2), or answered.
  public enum Refusal: Sendable, Equatable {
    case unknownAuthority
    case expired
    case revoked
    case unsuitable
    case accessDenied
    /// It behaves as if it had got none.
    case stillWanted
    case other
  }

  /// A fixed word, for the audit and the log.
  public var word: String {
    switch self {
    case .file(let problem): "certificate file: \(problem.rawValue)"
    case .expired: "certificate expired"
    case .notYetValid: "certificate not valid yet"
    case .otherAuthority: "certificate of another authority"
    case .refused(let refusal): "certificate refused: \(refusal)"
    }
  }
}

/// What a certificate says, as pages show it.
public struct CertificateDescription: Sendable, Equatable {
  /// As RFC 4514 writes names.
  public let subject: String
  public let issuer: String
  /// SHA-256 of the certificate and of its public key, in hexadecimal with colons between the bytes.
  public let fingerprint: String
  public let publicKeyFingerprint: String
  public let validFrom: Timestamp
  public let validUntil: Timestamp

  public init(
    subject: String, issuer: String, fingerprint: String, publicKeyFingerprint: String, validFrom: Timestamp,
    validUntil: Timestamp
  ) {
    self.subject = subject
    self.issuer = issuer
    self.fingerprint = fingerprint
    self.publicKeyFingerprint = publicKeyFingerprint
    self.validFrom = validFrom
    self.validUntil = validUntil
  }

  /// Whether one of `authorities`, as a server named them, issued a certificate of `chain`.
  ///
  /// Names are compared without case, and as far as they are kept; no name at all means any.
  public static func isIssued(chain: [CertificateDescription], by authorities: [String]) -> Bool {
    if authorities.isEmpty { return true }
    let names = Set(chain.flatMap { [$0.issuer, $0.subject] }.map { $0.prefix(200).lowercased() })
    return authorities.contains { names.contains($0.prefix(200).lowercased()) }
  }
}

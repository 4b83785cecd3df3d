import Domain
import Pages

extension CertificateProblem {
  /// What the person reads, and at which field.
  func words(at connection: Connection) -> (field: String, text: Words) {
    let name = connection.name
    return switch self {
    case .file(let problem): problem.words
    case .expired(let end):
      ("file", "This certificate ended on \(Self.day(end)). Choose one that is still valid.")
    case .notYetValid(let begin):
      (
        "file",
        "This certificate is valid from \(Self.day(begin)) on. Choose one that is valid now, or wait until then."
      )
    case .otherAuthority(let accepted, let issuer):
      (
        "any_authority",
        "\(name) accepts certificates of \(Self.list(accepted)), and this one was issued by \(issuer). It was not shown to "
          + "the server: choose another certificate."
      )
    case .refused(let refusal): ("file", refusal.words(at: name))
    }
  }

  private static func day(_ moment: Timestamp) -> String { String(PageContext.isoTime(moment.seconds).prefix(10)) }

  /// Three of them at most.
  static func list(_ names: [String]) -> Words {
    let shown = Words.alternatives(names.prefix(3))
    return names.count > 3 ? "\(shown) or \(Words.counting(names.count - 3, "other name"))" : shown
  }
}

extension CertificateProblem.FileProblem {
  fileprivate var words: (field: String, text: Words) {
    switch self {
    case .damaged:
      (
        "file",
        "This is no .p12 or .pfx file, or it is damaged or not whole. Export or copy it again; openssl pkcs12 -export "
          + "makes one of PEM files."
      )
    case .wrongPassphrase:
      ("passphrase", "The passphrase does not open this file. Choose the file again and enter its passphrase.")
    case .noPrivateKey:
      ("file", "The file has no private key. Export the certificate again together with its private key.")
    case .noCertificate: ("file", "The file has a private key, but no certificate. Export both together.")
    case .otherKey:
      (
        "file",
        "The private key in the file belongs to none of its certificates. Export the certificate with its own key."
      )
    case .tooCostly:
      (
        "file",
        "Opening this file takes more work than Gatehouse allows for it. Export it again with fewer iterations: 100,000 "
          + "are plenty."
      )
    case .unsuitableKey:
      (
        "file",
        "The private key is of a kind or size that is not used any more. RSA with 2048 bits or more and EC keys are."
      )
    case .unknownEncryption:
      ("file", "The file is encrypted in a way that Gatehouse does not know. Export it with AES.")
    case .notRead: ("", "Gatehouse could not look into the file just now. Try again in a minute.")
    }
  }
}

extension CertificateProblem.Refusal {
  fileprivate func words(at name: String) -> Words {
    switch self {
    case .unknownAuthority:
      "\(name) does not know the authority that issued this certificate. If intermediate certificates are missing in the "
        + "file, export it again with the whole chain."
    case .expired: "\(name) says that this certificate, or one in its chain, has expired."
    case .revoked: "\(name) says that this certificate has been revoked."
    case .unsuitable: "\(name) says that this certificate is not fit for signing in there."
    case .accessDenied: "\(name) knows this certificate and gives it no access."
    case .stillWanted: "\(name) behaves as if it had got no certificate: it does not accept this one."
    case .other: "\(name) does not accept this certificate, and does not say why."
    }
  }
}

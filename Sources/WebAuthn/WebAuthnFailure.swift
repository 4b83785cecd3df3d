/// Why something that an authenticator or browser sent is not believed; for the log, not for people.
public enum WebAuthnFailure: Error, Equatable, CustomStringConvertible {
  /// It cannot be read.
  case malformed(String)
  /// It is not an answer to what was asked here.
  case mismatch(String)
  /// Its key or algorithm is none of ours.
  case unsupported(String)
  case wrongSignature
  /// The counter of signatures went back: the key may have been copied (WebAuthn Level 2, §6.1.1).
  case counterWentBack

  public var description: String {
    switch self {
    case .malformed(let why), .mismatch(let why), .unsupported(let why): why
    case .wrongSignature: "The signature is not of the key."
    case .counterWentBack: "The counter of signatures went back."
    }
  }
}

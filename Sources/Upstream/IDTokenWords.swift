internal import JOSE

extension IDTokenFailure {
  /// What an administrator is told, as it stands behind “was refused:”.
  var words: String {
    switch self {
    case .signature(let cause): cause.words
    case .type: "it is a token of another type"
    case .issuer: "it names another issuer"
    case .audience: "it is not for our client id"
    case .otherAudience: "it is for somebody else besides us"
    case .authorizedParty: "it was given to another client"
    case .time(.expiryMissing), .time(.issueTimeMissing): "it does not say when it was issued and when it ends"
    case .time(.expired): "it has ended already; compare the clocks"
    case .time(.issueTimeOff): "it was issued in the future, or more than ten minutes ago; compare the clocks"
    case .time(.notYetValid): "it is not valid yet; compare the clocks"
    case .nonce: "it belongs to another sign-in"
    case .subject: "it does not say whom it is about"
    case .accessTokenHash: "it belongs to another access token"
    case .authenticationTime: "the person signed in too long ago"
    case .authenticationContext: "the person signed in by another way than was asked for"
    }
  }
}

extension LogoutTokenFailure {
  /// Why, as it stands behind “was refused:”; a fixed text, so that it can stand in the audit.
  var words: String {
    switch self {
    case .signature(let cause): cause.words
    case .type: "it is a token of another type"
    case .issuer: "it names another issuer"
    case .audience: "it is not for our client id alone"
    case .time(.expiryMissing): "it has no exp"
    case .time(.issueTimeMissing): "it does not say when it was issued"
    case .time(.expired): "it has ended already; compare the clocks"
    case .time(.issueTimeOff): "it was issued in the future, or more than ten minutes ago; compare the clocks"
    case .time(.notYetValid): "it is not valid yet; compare the clocks"
    case .tokenID: "it has no jti of at most 255 bytes"
    case .event: "it does not tell of a logout in its events"
    case .nonce: "it has a nonce, which is for ID tokens"
    case .subject: "its sub is no text of 1 to 255 bytes"
    case .sessionID: "its sid is no text of 1 to 512 bytes"
    case .nobody: "it names neither a person nor a session"
    }
  }
}

extension JWSFailure {
  fileprivate var words: String {
    switch self {
    case .tooLong, .malformed, .unknownExtension: "it is no readable token"
    case .algorithmNotAllowed: "it is unsigned, or signed by an algorithm that the provider does not announce"
    case .embeddedKey: "it brings its own key"
    case .unknownKey: "the provider publishes no key of its key id, nor did it when it was asked again"
    case .ambiguousKey: "it names no key, and the provider publishes several"
    case .badSignature: "its signature is not the provider's"
    }
  }
}

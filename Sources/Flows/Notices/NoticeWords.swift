public import Domain
public import Pages

extension Notice {
  /// What happened, in a sentence or two for the person.
  public var words: Words {
    let (service, app) = (facts.service ?? "", facts.app ?? "")
    return switch kind {
    case .serviceBroken:
      "\(service) no longer accepts the stored sign-in. Apps cannot use it until you connect it again."
    case .serviceRecovered: "\(service) works again."
    case .appFirstUse: "\(app) used \(service) for the first time."
    case .newBrowser: "Somebody signed in to your account in a browser that was not seen here before."
    case .passwordChanged: "Your password was changed."
    case .passwordSetByLink: "Your password was set by a link."
    case .authenticatorAdded: "An authenticator app was set up for your account."
    case .authenticatorRemoved: "The authenticator app of your account was turned off."
    case .passkeyAdded: "The passkey “\(facts.passkey ?? "")” was added to your account."
    case .passkeyRemoved: "The passkey “\(facts.passkey ?? "")” was removed from your account."
    case .secondStepRemoved: "An administrator removed the second step of your account."
    case .recoveryCodeUsed: "A recovery code was used to sign in to your account."
    case .emailChanged: "The e-mail address of your account was changed."
    case .appPasswordMade: "An app password was made for \(app) at \(service)."
    }
  }

  /// Where it was done: the browser and its address.
  public var place: Words? {
    guard let userAgent = facts.userAgent else { return nil }
    let browser = BrowserName(userAgent).words
    guard let address = facts.address, !address.isEmpty else { return browser }
    return "\(browser), from \(address)"
  }

  /// What to do about it, if the person did not do it.
  public var advice: Words? {
    switch kind {
    case .serviceBroken, .serviceRecovered: nil
    case .appFirstUse: "If you do not want that, take back what the app may do."
    case .appPasswordMade: "If that was not you, end the app password and change your password."
    case .secondStepRemoved: "If you did not ask for it, tell an administrator."
    case .newBrowser, .passwordChanged, .passwordSetByLink, .authenticatorAdded, .authenticatorRemoved, .passkeyAdded,
      .passkeyRemoved, .recoveryCodeUsed, .emailChanged:
      "If that was not you, change your password and sign out other browsers."
    }
  }

  /// The path of ours where something can be done about it.
  public var path: String {
    switch kind {
    case .serviceBroken: facts.connection.map { "/connect/\($0)" } ?? "/account"
    case .serviceRecovered: "/account"
    case .appFirstUse, .appPasswordMade: "/account/apps"
    case .newBrowser, .passwordChanged, .passwordSetByLink, .authenticatorAdded, .authenticatorRemoved, .passkeyAdded,
      .passkeyRemoved, .secondStepRemoved, .recoveryCodeUsed, .emailChanged:
      "/account/security"
    }
  }

  /// Whether it asks for something to be done, and not only for a look.
  public var isUrgent: Bool { kind == .serviceBroken }
}

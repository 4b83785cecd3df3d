/// One setting: its name in the file, what it means, what is allowed and its default.
struct Setting: Sendable {
  let name: String
  let meaning: String
  /// What a value must be, as the end of a sentence; empty when everything goes.
  let rule: String
  let standard: String

  /// The variable in the environment.
  var variable: String { "GATEHOUSE_\(name.uppercased())" }

  private init(_ name: String, _ meaning: String, _ rule: String, standard: String = "") {
    self.name = name
    self.meaning = meaning
    self.rule = rule
    self.standard = standard
  }

  static let listen = Setting(
    "listen", "Address and port to listen on.", "an address and a port, such as 127.0.0.1:8080 or [::]:8080",
    standard: "127.0.0.1:8080")
  static let externalURL = Setting(
    "external_url", "How people and apps reach this installation; may have a path.",
    "an https URL, or an http URL on localhost, without query and fragment",
    standard: "http://localhost with the port of GATEHOUSE_LISTEN")
  static let data = Setting(
    "data", "Directory for the database, the lock and the control socket.", "a path", standard: "./data")
  static let database = Setting(
    "database", "Where the database is; several instances may share one of PostgreSQL.",
    "sqlite:PATH, postgresql://USER@HOST/DATABASE or host=HOST dbname=DATABASE …, or empty for gatehouse.db in the data "
      + "directory")
  static let kekFile = Setting(
    "kek_file", "File with the key-encryption key, mode 0400; made on the first start. Keep a copy elsewhere.",
    "a path", standard: "./gatehouse.kek")
  static let publicDirectory = Setting(
    "public", "Directory with the pages and assets.", "a path", standard: "./Public")
  static let organisation = Setting(
    "organisation", "Who runs this installation, as shown on every page.", "")
  static let logo = Setting(
    "logo", "Image that stands for the organisation on every page, in place of ours.",
    "the path of a .svg or .png file of 64 KiB at most, or empty")
  static let accent = Setting(
    "accent", "Colour of buttons and links; it is made darker or lighter where it could not be read.",
    "a colour such as #1f4e79, or empty")
  static let helpURL = Setting(
    "help_url", "Where people find help; a link at the foot of every page.", "an https URL; or empty")
  static let privacyURL = Setting(
    "privacy_url", "What becomes of what is known of people; a link at the foot of every page.",
    "an https URL; or empty")
  static let securityContact = Setting(
    "security_contact", "Whom to tell of a weakness, as /.well-known/security.txt says it.",
    "a URL that begins with https:, mailto: or tel:; or empty")
  static let policyURI = Setting(
    "policy_uri", "What apps may do with what they learn about people here; stands in the metadata (op_policy_uri).",
    "an https URL; or empty")
  static let termsURI = Setting(
    "terms_uri", "On what terms apps may use this installation; stands in the metadata (op_tos_uri).",
    "an https URL; or empty")
  static let trustedProxies = Setting(
    "trusted_proxies",
    "Networks whose forwarded headers are believed, and which alone may ask in clear where the external URL is https.",
    "networks in CIDR form with commas between them, such as 10.0.0.0/8,fd00::/8")
  static let maximumConnections = Setting(
    "max_connections", "How many connections are held open at most.", "a whole number from 10 to 1000000",
    standard: "10000")
  static let tlsCertificate = Setting(
    "tls_certificate", "PEM file with the certificate chain; together with the key, serves https.", "a path")
  static let tlsKey = Setting("tls_key", "PEM file with the private key of the certificate.", "a path")
  static let certificateListen = Setting(
    "certificate_listen",
    "Address and port of a second https listener that asks apps for their certificates; browsers are never sent there.",
    "an address and a port, such as 0.0.0.0:8444, together with GATEHOUSE_TLS_CERTIFICATE; or empty")
  static let certificateHeader = Setting(
    "certificate_header",
    "Header field in which trusted proxies pass on the certificates of apps, such as Client-Cert; they must drop what "
      + "apps send in it themselves.",
    "the name of a header field, together with GATEHOUSE_TRUSTED_PROXIES; or empty")
  static let clientAuthorities = Setting(
    "client_authorities", "PEM file of the authorities that issue certificates of apps (tls_client_auth).", "a path")
  static let clientNetworks = Setting(
    "client_networks",
    "Networks of the organisation in which apps that administrators registered may publish their keys (jwks_uri) and be "
      + "told of sign-outs (backchannel_logout_uri), besides public hosts and this machine.",
    "networks in CIDR form with commas between them, such as 10.0.0.0/8,fd00::/8")
  static let registration = Setting(
    "registration",
    "Whether apps may register themselves (RFC 7591): not at all, with a token that an administrator made "
      + "(gatehouse registration-token create), or without one, by anybody who reaches Gatehouse.",
    "off, token or open", standard: "off")
  static let registrationUnusedDays = Setting(
    "registration_unused_days",
    "After how many days without use an app is removed that registered itself and that no administrator has checked.",
    "a whole number from 1 to 3650", standard: "30")
  static let rootPortal = Setting(
    "root_portal",
    "Connection to an ArcGIS portal that apps also find at the external URL itself, and not only below it with the "
      + "connection's name.",
    "the id of a connection, or empty")
  static let authorities = Setting(
    "authorities",
    "PEM file of certificate authorities that upstreams may be signed by, besides those that the system trusts.",
    "a path")
  static let smtpURL = Setting(
    "smtp_url",
    "Mail server that takes notices for people. Without it no mail is sent.",
    "smtp://host:587, where the server has to go over to TLS (STARTTLS) unless it is this machine, or smtps://host; or empty"
  )
  static let smtpTLS = Setting(
    "smtp_tls",
    "Whether an smtp:// server has to go over to TLS (STARTTLS) before anything is sent to it.",
    "required, or none for a network that is trusted whole; empty requires it of every server but this machine")
  static let smtpUser = Setting(
    "smtp_user", "User name at the mail server.", "a name, with GATEHOUSE_SMTP_PASSWORD_FILE; or empty")
  static let smtpPasswordFile = Setting(
    "smtp_password_file", "File with the password at the mail server, mode 0400.",
    "a path, with GATEHOUSE_SMTP_USER; or empty")
  static let mailFrom = Setting(
    "mail_from", "Address that mails come from.", "an e-mail address, such as gatehouse@example.org")
  static let logLevel = Setting(
    "log_level", "How much is logged.", "debug, info, warning or error", standard: "info")

  static let all = [
    listen, externalURL, data, database, kekFile, publicDirectory, organisation, logo, accent, helpURL, privacyURL,
    trustedProxies, maximumConnections,
    tlsCertificate, tlsKey, certificateListen, certificateHeader, clientAuthorities,
    clientNetworks, registration, registrationUnusedDays, rootPortal, authorities, logLevel,
    smtpURL, smtpTLS, smtpUser, smtpPasswordFile, mailFrom,
    securityContact, policyURI, termsURI,
  ]

  /// Variables that begin with `GATEHOUSE_` but are not settings.
  static let otherVariables: Set<String> = [
    "GATEHOUSE_CONFIG", "GATEHOUSE_FAILPOINT", "GATEHOUSE_INIT", "GATEHOUSE_VECTORS",
  ]

  /// What `gatehouse config` prints.
  static var table: String {
    let settings = all.map { setting in
      let rule = setting.rule.isEmpty ? "" : "\n    Allowed: \(setting.rule)."
      return "\(setting.variable)\n    \(setting.meaning)\(rule)\n    Default: "
        + (setting.standard.isEmpty ? "(empty)" : setting.standard)
    }
    return settings.joined(separator: "\n") + """


      Settings may also stand in ./gatehouse.json, or the file that GATEHOUSE_CONFIG names, as one JSON object with
      names such as "external_url"; the environment wins.
      """
  }
}

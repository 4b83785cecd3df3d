// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // An async function stays on its caller's executor: a request is served without a hop off its event loop.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A C library of the system, found by pkg-config and installed from Debian.
func library(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A Swift target with the package's settings; `uses` is the complete list of what it may import.
func module(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// An executable with the package's settings.
func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one module.
func tests(of name: String, uses dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
  name: "gatehouse",
  targets: [
    .systemLibrary(name: "CLinux"),
    library("CSQLite", "sqlite3", "libsqlite3-dev"),
    library("CPostgreSQL", "libpq", "libpq-dev"),
    library("COpenSSL", "openssl", "libssl-dev"),
    library("CZlib", "zlib", "zlib1g-dev"),
    library("CCurl", "libcurl", "libcurl4-openssl-dev"),
    library("CArgon2", "libargon2", "libargon2-dev"),
    library("CGSSAPI", "krb5-gssapi", "libkrb5-dev"),

    module("Domain"),
    module("UnicodeText"),
    module("JSON", uses: ["UnicodeText"]),
    module("Logging"),
    module("FileSystem"),
    module("Crypto", uses: ["COpenSSL", "CArgon2", "CLinux", "CZlib"]),
    module("JOSE", uses: ["Crypto", "JSON"]),
    module("WebAuthn", uses: ["Crypto", "JSON", "UnicodeText"]),
    module("SQL"),
    module("GroupCommit", uses: ["SQL"]),
    module("SQLite", uses: ["SQL", "GroupCommit", "CSQLite"]),
    module("PostgreSQL", uses: ["SQL", "GroupCommit", "CPostgreSQL"]),
    module("Storage", uses: ["Domain", "SQL", "JSON"]),
    module("HTTP", uses: ["UnicodeText"]),
    module("TLS", uses: ["COpenSSL"]),
    module("HTTPServer", uses: ["FileSystem", "HTTP", "TLS", "Logging", "CLinux", "CZlib"]),
    module("HTTPClient", uses: ["HTTP", "CCurl", "COpenSSL"]),
    module("Mail", uses: ["Domain", "CCurl"]),
    module("Kerberos", uses: ["CGSSAPI"]),
    module("Upstream", uses: ["Domain", "HTTP", "HTTPClient", "Kerberos", "Crypto", "JOSE", "JSON"]),
    module("Pages", uses: ["FileSystem"]),
    module("QRCode"),
    module(
      "Flows",
      uses: [
        "Domain", "SQL", "Storage", "Upstream", "HTTP", "Crypto", "JOSE", "JSON", "Logging", "Mail", "Pages",
        "UnicodeText", "WebAuthn",
      ]),
    module(
      "Web", uses: ["Domain", "SQL", "Storage", "Flows", "HTTP", "JSON", "Pages", "QRCode", "Logging", "UnicodeText"]),
    program(
      "gatehouse",
      uses: [
        "CLinux", "Crypto", "Domain", "FileSystem", "Flows", "HTTP", "HTTPClient", "HTTPServer", "JSON", "Logging",
        "Mail", "Pages", "PostgreSQL", "SQL", "SQLite", "Storage", "TLS", "Upstream", "Web",
      ]),
    program("page-messages", uses: ["Pages"]),
    program("store-bench", uses: ["SQL", "SQLite"]),
    module("Simulator", uses: ["HTTP", "HTTPServer", "JOSE", "JSON", "Crypto", "Logging"]),
    program("upstream-simulator", uses: ["Simulator", "HTTPServer", "TLS", "Logging"]),

    tests(of: "Domain"),
    tests(of: "UnicodeText"),
    tests(of: "JSON"),
    tests(of: "Kerberos"),
    tests(of: "Logging"),
    tests(of: "Mail", uses: ["Domain"]),
    .target(name: "TestVectors", dependencies: ["JSON"], path: "Tests/TestVectors", swiftSettings: strict),
    tests(of: "Crypto", uses: ["JSON", "TestVectors"]),
    .target(
      name: "TestAuthenticator", dependencies: ["Crypto"], path: "Tests/TestAuthenticator", swiftSettings: strict),
    tests(of: "WebAuthn", uses: ["Crypto", "JSON", "TestAuthenticator"]),
    tests(of: "JOSE", uses: ["Crypto", "JSON", "TestVectors"]),
    .target(
      name: "TestPostgreSQL", dependencies: ["PostgreSQL", "SQL"], path: "Tests/TestPostgreSQL", swiftSettings: strict),
    tests(of: "PostgreSQL", uses: ["SQL", "TestPostgreSQL"]),
    tests(of: "Storage", uses: ["Domain", "SQL", "SQLite", "PostgreSQL", "TestPostgreSQL"]),
    tests(of: "SQLite", uses: ["SQL", "GroupCommit"]),
    tests(of: "HTTP"),
    tests(of: "HTTPServer", uses: ["HTTP", "TLS", "Logging"]),
    tests(of: "HTTPClient", uses: ["Crypto", "HTTP"]),
    tests(
      of: "Upstream",
      uses: ["Domain", "HTTP", "HTTPClient", "HTTPServer", "Simulator", "JOSE", "JSON", "Crypto", "Logging"]),
    tests(of: "Pages"),
    tests(of: "QRCode"),
    tests(
      of: "Flows",
      uses: [
        "Domain", "SQL", "SQLite", "PostgreSQL", "TestPostgreSQL", "Storage", "Crypto", "JOSE", "JSON", "HTTP",
        "HTTPClient", "HTTPServer", "Simulator", "Upstream", "Logging", "Mail", "Pages",
      ]),
    tests(of: "gatehouse", uses: ["Domain", "Web"]),
    tests(of: "Simulator", uses: ["Crypto", "HTTP", "HTTPServer", "JOSE", "JSON", "Logging"]),
    tests(
      of: "Web",
      uses: [
        "Crypto", "Domain", "FileSystem", "Flows", "HTTP", "HTTPClient", "HTTPServer", "JOSE", "JSON", "Logging",
        "Pages",
        "SQL", "SQLite", "Simulator", "Storage", "TestAuthenticator", "Upstream",
      ]),
  ]
)

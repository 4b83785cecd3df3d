import SQL

extension Migration {
  /// Part of the first release: apps that register themselves.
  static let registrations: [Statement] = [
    """
    CREATE TABLE registration_token (
      id         text   NOT NULL PRIMARY KEY,
      hash       blob   NOT NULL UNIQUE,
      name       text   NOT NULL,
      uses       bigint NOT NULL,
      used       bigint NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL
    )
    """,
    """
    CREATE TABLE client_registration (
      client_id    text   NOT NULL PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
      access_token blob   NOT NULL,
      token_id     text,
      description  text   NOT NULL,
      checked_at   bigint
    )
    """,
  ]
}

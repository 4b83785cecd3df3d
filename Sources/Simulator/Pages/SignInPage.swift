extension Page {
  /// What the sign-in page shows and sends back.
  struct SignIn: Sendable {
    /// Where the form goes.
    let action: String
    /// Stands for the app's request until the form comes back.
    let formID: String
    let clientID: String
    /// Fills the name field.
    var userName = ""
    /// Whether name and password did not fit just now.
    var hasFailed = false
  }

  /// The portal's own sign-in form; Cancel works without the fields filled in.
  static func signIn(_ form: SignIn) -> Page {
    let alert: HTML =
      form.hasFailed ? "<p class=\"error\" id=\"problem\" role=\"alert\">Invalid username or password.</p>" : ""
    let mark: HTML = form.hasFailed ? " aria-invalid=\"true\" aria-describedby=\"problem\"" : ""
    return Page(
      title: form.hasFailed ? "Error: Sign in" : "Sign in",
      content: """
        \(alert)
        <p>The app <b><bdi>\(form.clientID)</bdi></b> asks to use your account at this simulated portal.</p>
        <form method="post" action="\(form.action)">
        <input type="hidden" name="oauth_state" value="\(form.formID)">
        <label for="username">Username</label>
        <input id="username" name="username" value="\(form.userName)" autocomplete="username" autocapitalize="none" \
        spellcheck="false" required\(mark)>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required\(mark)>
        <button name="action" value="signin">Sign in</button>
        <button class="secondary" name="action" value="cancel" formnovalidate>Cancel</button>
        </form>
        """)
  }
}

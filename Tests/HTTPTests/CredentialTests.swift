import HTTP
import Testing

private func basic(_ value: String) -> BasicCredentials? { AuthorizationField(value).flatMap(BasicCredentials.init) }

@Test(
  "Basic credentials are read",
  arguments: [
    ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"), ("basic dGVzdDoxMjPCow==", "test", "123£"),
    ("BASIC  YTpiOmM=", "a", "b:c"), ("Basic Og==", "", ""), ("Basic YTo=", "a", ""),
  ])
func readBasic(value: String, user: String, password: String) throws {
  let credentials = try #require(basic(value))
  #expect(credentials.user == user)
  #expect(credentials.password == password)
}

@Test(
  "Lax or broken credentials are refused",
  arguments: [
    "Basic", "Basic ", "Bearer YTpi", "Basic YTpi=", "Basic YTo", "Basic YTp=", "Basic YT pi", "Basic YTo=YTo=",
    "Basic YWI=", "Basic YTr/", "Basic YTo=\u{9}", "Basic YQBiOmM=", "Basic YTph\"", "Basic ====", "Basic YTpi====",
    "Basic YQo6Yg==", "Basic _-__", "Basic a",
  ])
func badBasic(value: String) { #expect(basic(value) == nil) }

@Test("OAuth clients form-encode both parts")
func formEncoded() throws {
  // "a%3Ab:c+d%25"
  let credentials = try #require(basic("Basic YSUzQWI6YytkJTI1"))
  #expect(credentials.formDecoded?.user == "a:b")
  #expect(credentials.formDecoded?.password == "c d%")
  // Twice "a%3Ab%25c%2Bd%26e%3D%C3%BC+f"
  let whole = try #require(
    basic("Basic YSUzQWIlMjVjJTJCZCUyNmUlM0QlQzMlQkMrZjphJTNBYiUyNWMlMkJkJTI2ZSUzRCVDMyVCQytm"))
  for part in [whole.formDecoded?.user, whole.formDecoded?.password] { #expect(part == "a:b%c+d&e=\u{FC} f") }
  // "a%:b"
  #expect(try #require(basic("Basic YSU6Yg==")).formDecoded == nil)
}

@Test("An Authorization field is one scheme and one credential")
func authorization() throws {
  let field = try #require(AuthorizationField(["authorization": "Bearer abc.def-_~+/=="]))
  #expect(field.scheme == "bearer")
  #expect(field.credential == "abc.def-_~+/==")
  #expect(AuthorizationField(Headers()) == nil)
  #expect(AuthorizationField("Bearer a b") == nil)
  #expect(AuthorizationField("Bearer a,b") == nil)
  #expect(AuthorizationField("Bearer =") == nil)
  #expect(AuthorizationField(["authorization": "Bearer a", "authorization": "Bearer a"]) == nil)
}

@Test("No secret is printed")
func hidden() throws {
  let field = try #require(AuthorizationField("Basic YTpzZWNyZXQ="))
  let credentials = try #require(BasicCredentials(field))
  var dumped = ""
  dump(field, to: &dumped)
  dump(credentials, to: &dumped)
  let printed = dumped + "\(field) \(credentials)" + String(reflecting: field) + String(reflecting: credentials)
  #expect(!printed.contains("secret") && !printed.contains("YTpz"))
}

/// Finds passwords that a guesser tries early however long they are: common words with something added, rows of keys.
enum CommonPassword {
  /// Whether `password` is long, but only looks hard to guess.
  static func isGuessable(_ password: String) -> Bool {
    let text = Array(password.lowercased())
    return isWalk(text) || isRepetition(text) || isMadeOfWords(text)
  }

  /// One after the other on a keyboard or in the alphabet, for the most part.
  private static func isWalk(_ text: [Character]) -> Bool {
    let steps = zip(text, text.dropFirst()).map { [$0, $1] }
    guard !steps.isEmpty else { return false }
    let known = steps.count { $0[0] == $0[1] || walks.contains($0) }
    return known * 4 >= steps.count * 3
  }

  /// Fewer than eight characters, again and again.
  private static func isRepetition(_ text: [Character]) -> Bool {
    (1..<8).contains { period in
      text.count >= period * 2 && text.indices.dropFirst(period).allSatisfy { text[$0] == text[$0 - period] }
    }
  }

  /// At most two common words, or one of them again and again, whatever stands before and behind.
  private static func isMadeOfWords(_ text: [Character]) -> Bool {
    let letters = String(plain(text))
    guard letters.count >= 4 else { return false }
    if words.contains(letters) { return true }
    let places = letters.indices.dropFirst(3)
    return places.contains { words.contains(String(letters[..<$0])) && words.contains(repeated(letters[$0...])) }
  }

  /// The word that is there once or several times.
  private static func repeated(_ text: Substring) -> String {
    let text = Array(text)
    let period = (1...max(text.count, 1)).first { period in
      text.count.isMultiple(of: period)
        && text.indices.dropFirst(period).allSatisfy { text[$0] == text[$0 - period] }
    }
    return String(text.prefix(period ?? text.count))
  }

  /// The letters from the first to the last, with those that people write as digits and signs.
  private static func plain(_ text: [Character]) -> [Character] {
    let isEdge = { (character: Character) in !character.isLetter && character != "@" && character != "$" }
    guard let first = text.firstIndex(where: { !isEdge($0) }), let last = text.lastIndex(where: { !isEdge($0) })
    else { return [] }
    let signs: [Character: Character] = [
      "@": "a", "4": "a", "3": "e", "1": "i", "!": "i", "0": "o", "$": "s", "5": "s",
    ]
    return text[first...last].compactMap { $0.isLetter ? $0 : signs[$0] }
  }

  /// Each step of a row, in both directions.
  private static let walks: Set<[Character]> = {
    let rows = [
      "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiop", "yxcvbnm",
      "azertyuiop", "qsdfghjklm", "wxcvbn", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qazwsxedcrfvtgbyhnujmik",
      "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik", "zaqxswcdevfrbgtnhymju", "!@#$%^&*()_+", "p-[=]",
    ]
    return Set(rows.flatMap { row in zip(row, row.dropFirst()).flatMap { [[$0, $1], [$1, $0]] } })
  }()

  /// Words that many leaked passwords are made of.
  private static let words = Set(
    """
    aaaa aaaaa aaron abcd abcde abcdef abcdefg access adam admin administrador administrateur administrator adrian
    alex alexander alexis allen alyssa amanda amber america andre andrea andrew angel angela angels anthony antonio
    apollo apple apples april arcgis arsenal asdasd asdf asdfg asdfgh asdfghjkl asdfjkl ashley august austin awesome
    azerty babies baby babyboy babygirl babygurl badboy bailey baller ballin banana bandit barbie baseball batman
    bball beast beckham bella bigboy biteme black blessed blood blue bobby brandon brittany brooke brown bubba
    bubbles buddy bunny buster butterfly camaro cameron candy carlos carter casper cassie catdog celtic changeme
    charlie cheer cheese chelsea cherry chevy chicken children chivas chocolate chris christian classof coco compaq
    computer contrasena cookie cookies cool cooper correcthorsebatterystaple cowboys crazy crystal cupcake daddy
    daisy dakota dallas dance dancer daniel danielle danny david death december default dell demon destiny devil
    diablo diamond diego dolphin dragon dude eagles edward element elizabeth emily eminem esri faith family felix
    flower flowers fluffy football forever fred freedom fresh friend friends gabriel gangsta gatehouse geheim george
    ginger girls google grandma green greenday guest guitar haha hahaha hallo halo hannah happy harley harry hawaii
    heart hearts heather hello henry hiphop hockey hola hollister home honda honey horses hotdog hottie hunter
    icecream ihateyou ilove ilovehim iloveme iloveu iloveyou iverson jack jackie jackson jacob jake james jasmine
    jason jasper jayden jennifer jenny jeremy jesse jessica jessie jimmy john johncena johnny joker jonas jonathan
    jordan jose joseph josh joshua julie july june junior justin katie kayla kelly kennwort kevin king kissme kitten
    kitty lakers lala lauren letmein lilmama lilwayne linkedin liverpool login london love lovely loveme lover
    lovers loveu loveyou lucky luis madden madison maggie magic mama manchesterunited manuel march maria marie mario
    mark martin master matt matthew mazda melissa metal metallica mexico michael michelle mickey midnight miguel
    mike million missy molly mommy money monica monkey monkeys monster morgan motdepasse mother muffin music mustang
    mykids mylove myspace naruto nascar nathan newyork nicholas nick nicole nike nikki nokia november number october
    oliver olivia orange oscar pakistan panda parola password passwort patrick peace peanut people pepper pepsi pink
    pinky pizza playboy player pokemon poohbear pookie popcorn portal power pretty prince princess puppy purple
    qazwsx qazxsw qwaszx qweasd qweasdzxc qwer qwert qwerty qwertyu qwertyuiop rachel raiders rainbow redsox richard
    robert rockstar rocky ronaldo rooney root rose rusty ryan samantha sammy samsung samuel sandra sarah sasha sassy
    sasuke school scooby scooter secret senha senior september server seven shadow shelby shorty silver simba single
    sisters skate skater slipknot smile smokey snoopy soccer softball sophie southside sparky spider spiderman
    spongebob star starwars steelers stella steven stupid summer sunshine super superman sweet taylor teamo teddy
    tennis test texas thomas tiffany tiger tigers tigger tinker tommy tony trustno turtle tweety twins tyler user
    vanessa victor victoria viper wachtwoord water welcome whatever william windows winter woaini yahoo yankees
    yellow yourmom zxcv zxcvb zxcvbnm
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}

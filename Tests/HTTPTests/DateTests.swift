import HTTP
import Testing

@Test(
  "A date is written and read",
  arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
    (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
func written(seconds: Int, text: String) {
  #expect(HTTPDate.format(seconds) == text)
  #expect(HTTPDate.parse(text) == seconds)
}

@Test(
  "The obsolete forms are read",
  arguments: ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994"])
func obsolete(text: String) { #expect(HTTPDate.parse(text) == 784_111_777) }

@Test("A two-digit year below 70 is after 2000")
func shortYear() {
  #expect(HTTPDate.parse("Thursday, 29-Feb-24 23:59:59 GMT") == 1_709_251_199)
}

@Test(
  "What is no date is none",
  arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 0000 08:49:37 GMT", "Sun,  6 Nov 1994 08:49:37 GMT", "Someday, 06-Nov-94 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 19é4 08:49:37 GM",
  ])
func noDate(text: String) { #expect(HTTPDate.parse(text) == nil) }

/// Which of several connections a URL belongs to: one case a line, as
/// `connections | URL | winner | why`.
///
/// Connections are separated by `;`, each a name, `=` and its patterns; `name:kind` is of another kind than a portal's,
/// `name-` is switched off. The winner is a name, `none` when no connection covers the URL or none alone does, and
/// `refused` when the URL is none.
let matchingTable = """
  # Longest prefix, by whole segments
  a=https://h.example | https://h.example/ | a | an origin covers its root
  a=https://h.example | https://h.example | a | a URL without a path has the root
  a=https://h.example | https://h.example?x=1 | a | a query alone is no path
  a=https://h.example | https://h.example/any/path | a | and everything below
  a=https://h.example/ | https://h.example/any | a | a slash at the end of a pattern changes nothing
  a=https://h.example/server | https://h.example/server | a | the prefix itself
  a=https://h.example/server | https://h.example/server/ | a | with a slash
  a=https://h.example/server/ | https://h.example/server | a | typed with a slash, it covers itself without one, too
  a=https://h.example/server | https://h.example/server/rest/services | a | below it
  a=https://h.example/server | https://h.example/server2 | none | another segment that begins alike
  a=https://h.example/server | https://h.example/server-admin/x | none | another one
  a=https://h.example/server | https://h.example/server.old/x | none | another one
  a=https://h.example/server | https://h.example/server;v=1/x | none | a parameter makes another segment
  a=https://h.example/server | https://h.example/server%20/x | none | a blank makes another segment
  a=https://h.example/server | https://h.example/serve | none | shorter than the prefix
  a=https://h.example/server | https://h.example/ | none | above the prefix
  a=https://h.example/server | https://h.example//server | none | an empty segment before it is another path
  a=https://h.example/server | https://h.example/x/server | none | not at the start
  a=https://h.example/server | https://h.example/x?/server/ | none | a query is no path
  a=https://h.example/server | https://h.example?/server | none | nor behind a host alone
  a=https://h.example; b=https://h.example/server | https://h.example/server/rest | b | the longer prefix
  a=https://h.example; b=https://h.example/server | https://h.example/portal | a | where the longer does not reach
  a=https://h.example; b=https://h.example/server | https://h.example/server2 | a | nor does it here
  b=https://h.example/server; a=https://h.example | https://h.example/server/rest | b | whatever their order
  a=https://h.example/a; b=https://h.example/a/b; c=https://h.example/a/b/c | https://h.example/a/b/c/d | c | of three
  a=https://h.example/a; b=https://h.example/a/b; c=https://h.example/a/b/c | https://h.example/a/b/x | b | of three
  a=https://h.example/a; b=https://h.example/a/b; c=https://h.example/a/b/c | https://h.example/a/x | a | of three
  a=https://h.example/aa; b=https://h.example/a/b | https://h.example/a/b | b | length counts only where it covers
  a=https://h.example/a,https://h.example/b/c; b=https://h.example/b | https://h.example/b/c/d | a | any pattern of it
  a=https://h.example/a,https://h.example/b/c; b=https://h.example/b | https://h.example/b/x | b | any pattern of it
  a=https://h.example/a | https://i.example/a | none | another host

  # Case
  a=https://h.example/Server | https://h.example/server | none | paths have case
  a=https://h.example/server | https://h.example/SERVER/x | none | paths have case
  a=https://h.example/server | https://H.Example/server | a | hosts have none
  a=HTTPS://H.EXAMPLE/server | https://h.example/server | a | in patterns neither
  a=https://h.example/server | HTTPS://h.example/server | a | nor schemes
  a=H.Example | https://h.example/ | a | nor host patterns
  a=*.EXAMPLE | https://h.Example/ | a | nor wildcards
  a=https://h.example/a; b=https://h.example/A | https://h.example/A/x | b | two paths that differ in case are two

  # Scheme and port
  a=https://h.example/a | http://h.example/a | none | another scheme
  a=http://h.example/a | https://h.example/a | none | another scheme
  a=http://h.example/a | http://h.example/a/b | a | plain http where it was typed
  a=https://h.example/a | https://h.example:443/a | a | the usual port, written
  a=https://h.example:443/a | https://h.example/a | a | the usual port, written in the pattern
  a=http://h.example:80/a | http://h.example/a | a | the usual port of http
  a=https://h.example:80/a | https://h.example/a | none | the port of the other scheme
  a=https://h.example/a | https://h.example:8443/a | none | another port
  a=https://h.example:8443/a | https://h.example:8443/a/b | a | a port that was typed
  a=https://h.example:8443/a | https://h.example/a | none | another port
  a=https://h.example:6443; b=https://h.example | https://h.example:6443/a | a | the port decides
  a=https://h.example:6443; b=https://h.example | https://h.example/a | b | the port decides
  a=https://h.example/a | https://h.example:0443/a | refused | a port with a zero in front
  a=https://h.example/a | https://h.example:/a | refused | an empty port
  a=https://h.example/a | https://h.example:65536/a | refused | a port that is none
  a=https://h.example/a | https://h.example:+443/a | refused | a port with a sign
  a=h.example | https://h.example:443/x | a | host patterns mean the usual port
  a=h.example | https://h.example:8443/x | none | and no other
  a=h.example | http://h.example/x | none | and https alone
  a=*.example | https://h.example:444/x | none | wildcards, too
  a=*.example | http://h.example/x | none | wildcards, too
  a=ftp://h.example | ftp://h.example/x | refused | another scheme than the web's

  # Hosts by whole labels
  a=h.example | https://h.example/any/path?x | a | every path of the host
  a=h.example | https://x.h.example/ | none | not what lies below
  a=h.example | https://xh.example/ | none | not what ends alike
  a=h.example | https://h.example.evil.test/ | none | not what begins alike
  a=h.example | https://example/ | none | not what lies above
  a=*.h.example | https://x.h.example/ | a | below it
  a=*.h.example | https://x.y.h.example/ | a | by any number of labels
  a=*.h.example | https://h.example/ | none | never the name itself
  a=*.h.example | https://xh.example/ | none | a label is whole
  a=*.h.example | https://x.h.example.evil.test/ | none | at the end of the name
  a=*.h.example | https://x.h.example.evil.test/?.h.example | none | of the name and not of the URL
  a=*.example; b=*.h.example | https://x.h.example/ | b | the longer wildcard
  a=*.example; b=*.h.example | https://x.i.example/ | a | where the longer does not reach
  a=*.h.example; b=x.h.example | https://x.h.example/ | b | a name beats a wildcard
  a=*.h.example; b=x.h.example | https://y.h.example/ | a | where the name is another
  a=x.h.example; b=https://x.h.example | https://x.h.example/ | b | a prefix beats a name, even that of the root
  a=*.x.y.h.example; b=https://w.x.y.h.example | https://w.x.y.h.example/a | b | and every wildcard
  a=x.h.example; b=https://x.h.example/a | https://x.h.example/b | a | where the prefix does not reach
  a=intranet | https://intranet/x | a | a name of one label
  a=intranet | https://intranet.example/x | none | and not a longer one

  # The host *
  a=* | https://anything.example/x | a | every host
  a=* | https://10.1.2.3/x | a | addresses, too
  a=* | https://anything.example:8443/x | none | the usual port alone
  a=* | http://anything.example/x | none | https alone
  a=*; b=*.example | https://h.example/ | b | last of all
  a=*; b=h.example | https://h.example/ | b | last of all
  a=*; b=https://h.example/x | https://h.example/x | b | last of all
  a=*; b=https://h.example/x | https://h.example/y | a | where nothing else reaches

  # Escapes and dot segments
  a=https://h.example/a%20b | https://h.example/a%20b/c | a | an escape that is needed
  a=https://h.example/a%20b | https://h.example/a+b/c | none | a plus is a plus
  a=https://h.example/caf%C3%A9 | https://h.example/caf%C3%A9/x | a | letters beyond ASCII, escaped
  a=https://h.example/caf%C3%A9 | https://h.example/caf%c3%a9/x | none | digits of escapes are compared as written
  a=https://h.example/server | https://h.example/%73erver/x | refused | a needless escape could be read as another path
  a=https://h.example/a | https://h.example/a%2Fb | refused | an escaped slash
  a=https://h.example/a | https://h.example/a%5Cb | refused | an escaped backslash
  a=https://h.example/a | https://h.example/a\\b | refused | a backslash
  a=https://h.example/a | https://h.example/a/../b | refused | a step up
  a=https://h.example/a | https://h.example/a/./b | refused | a step nowhere
  a=https://h.example/a | https://h.example/a/.. | refused | a step up at the end
  a=https://h.example/a | https://h.example/a/%2e%2e/b | refused | an escaped step up
  a=https://h.example/a | https://h.example/a/.%2E/b | refused | a half escaped one
  a=https://h.example/a | https://h.example/a/..;x/b | refused | one that servlet containers read
  a=https://h.example/a | https://h.example/a/..%20/b | refused | one with a blank behind it
  a=https://h.example/a | https://h.example/a/.../b | a | three dots are a name
  a=https://h.example/a | https://h.example/a/.hidden | a | a dot in front is a name
  a=https://h.example/a | https://h.example/a%00/b | refused | a zero
  a=https://h.example/a | https://h.example/a%252e/b | refused | an escaped escape
  a=https://h.example/a | https://h.example/a%zz | refused | half an escape
  a=https://h.example/a | https://h.example/a b | refused | a blank
  a=https://h.example/a | https://h.example/a//b | a | an empty segment below the prefix is below it
  a=https://h.example/a | https://h.example/a?x=/../y | a | what a query says is the server's

  # Names in other scripts, dots, users, fragments, addresses
  a=https://xn--bcher-kva.example/a | https://XN--BCHER-KVA.example/a/b | a | the ASCII form of a name
  a=https://xn--bcher-kva.example/a | https://bücher.example/a | refused | only the ASCII form is one name
  a=https://h.example/a | https://h.example/ä | refused | a letter that is not escaped
  a=https://h.example/a | https://ℎ.example/a | refused | a letter that looks alike
  a=https://h.example/a | https://h.example./a | refused | a dot at the end of the name
  a=h.example | https://h.example./ | refused | for host patterns, too
  a=https://h.example/a | https://.h.example/a | refused | an empty label
  a=https://h.example/a | https://user@h.example/a | refused | a user
  a=https://h.example/a | https://h.example@evil.test/a | refused | a host that is a user
  a=https://h.example/a | https://h.example:443@evil.test/a | refused | and a port that is a password
  a=https://h.example/a | https://h.example/a#b | refused | a fragment
  a=https://h.example/a | https://h.example#/a | refused | a fragment in place of a path
  a=https://h.example/a | https://evil.test/https://h.example/a | none | a path that is a URL
  a=https://h.example/a | https://evil.test?https://h.example/a | none | a query that is one
  a=https://[::1]/a | https://[0:0:0:0:0:0:0:1]/a/b | a | one address, however it is written
  a=https://[2001:db8::1]/a | https://[2001:DB8:0::1]/a | a | one address, however it is written
  a=https://[2001:db8::1]/a | https://[2001:db8::2]/a | none | another address
  a=https://[2001:db8::1]:8443 | https://[2001:db8::1]:8443/x | a | with its port
  a=https://[2001:db8::1]/a | https://[2001:db8::1%25eth0]/a | refused | an address with a zone
  a=https://[2001:db8::1]/a | https://2001:db8::1/a | refused | an address without brackets
  a=10.1.2.3 | https://10.1.2.3/x | a | an IPv4 address is a host
  a=10.1.2.3 | https://10.1.2.30/x | none | and another one another
  a=10.1.2.3 | https://167838211/x | refused | a number in place of it
  a=10.1.2.3 | https://0xa.1.2.3/x | refused | in another base
  a=10.1.2.3 | https://10.1.515/x | refused | in three parts
  a=10.1.2.3 | https://010.1.2.3/x | refused | with a zero in front
  a=*.2.3.example | https://1.2.3.example/x | a | numbers in a name

  # One for each context
  a=https://h.example; b=https://h.example | https://h.example/x | none | two that cover it equally well: nobody can say which
  a=https://h.example/x; b=https://h.example/x/ | https://h.example/x/y | none | the same prefix, typed in two ways
  a=h.example; b=H.EXAMPLE | https://h.example/x | none | the same host, typed in two ways
  a=*.example; b=*.example | https://h.example/x | none | the same wildcard
  a=*; b=* | https://h.example/x | none | the same host *
  a=https://h.example,h.example; b=*.example | https://h.example/x | a | several patterns of one are one
  a=https://h.example; b=https://h.example; c=https://h.example/x | https://h.example/x | c | unless another is meant
  a=https://h.example; k:apiKey=https://h.example | https://h.example/x | a | the service's own hides nobody's
  a=https://h.example; k:oauthApplication=https://h.example/x | https://h.example/x | k | but may be more specific
  k:apiKey=https://h.example; l:oauthApplication=https://h.example | https://h.example/x | none | two of the service's own
  a-=https://h.example/x; b=https://h.example | https://h.example/x/y | a | switched off it still covers, and a broader one is not taken for it
  a-=https://h.example; b=https://h.example | https://h.example/x | b | of two alike the one that is switched on
  a:oidc=https://h.example; b=https://h.example | https://h.example/x | none | whatever their kinds
  """

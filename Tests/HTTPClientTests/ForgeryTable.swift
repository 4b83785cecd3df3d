/// What must not be reached by a URL that somebody else chose (server-side request forgery), and how it is stopped: one
/// URL a line, as `URL | how | why`.
///
/// - `unreadable`: it is no URL that every reader reads alike; nothing is looked up.
/// - `refused`: the policy refuses the URL itself; nothing is looked up.
/// - `dialled`: the name is looked up, and the address that would be dialled is refused.
/// - `allowed`: the policy has nothing against it.
let forgeryTable = """
  # This machine
  https://127.0.0.1/ | refused | loopback
  https://127.0.0.1:8443/ | refused | on a usual port
  https://127.255.255.254/ | refused | the whole range is loopback
  https://[::1]/ | refused | loopback in IPv6
  https://[0:0:0:0:0:0:0:1]/ | refused | written in full
  https://[::ffff:127.0.0.1]/ | refused | IPv4 within IPv6
  https://[::ffff:7f00:1]/ | refused | the same in other digits
  https://[::127.0.0.1]/ | refused | the retired form of it
  https://[64:ff9b::7f00:1]/ | refused | behind NAT64
  https://[2002:7f00:1::]/ | refused | within 6to4
  https://0.0.0.0/ | refused | this host, which Linux connects to itself
  https://0.1.2.3/ | refused | its whole range
  https://[::]/ | refused | this host in IPv6
  https://localhost/ | dialled | its name
  https://LOCALHOST:8443/ | dialled | in other letters
  https://metadata.localhost/ | dialled | a name below it
  https://localhost./ | unreadable | a dot at the end
  https://127.0.0.1./ | unreadable | behind an address

  # The same in disguise
  https://127.1/ | unreadable | two parts
  https://127.0.1/ | unreadable | three parts
  https://2130706433/ | unreadable | one number
  https://0x7f000001/ | unreadable | one in base 16
  https://0x7f.0.0.1/ | unreadable | a part in base 16
  https://017700000001/ | unreadable | in base 8
  https://0177.0.0.1/ | unreadable | a part in base 8
  https://127.0.0.01/ | unreadable | a zero in front
  https://①②⑦.⓪.⓪.①/ | unreadable | digits of another script
  https://127。0。0。1/ | unreadable | dots of another script
  https://%31%32%37.0.0.1/ | unreadable | escaped digits
  https://user@127.0.0.1/ | unreadable | behind a user
  https://example.com@127.0.0.1/ | unreadable | behind a user that looks like a host
  https://127.0.0.1:443@example.com/ | unreadable | before a host
  https://example.com\\@127.0.0.1/ | unreadable | a backslash
  https://example.com#@127.0.0.1/ | unreadable | a fragment
  https://[::1%25lo]/ | unreadable | with a zone
  https://[127.0.0.1]/ | unreadable | in brackets
  https://::1/ | unreadable | without brackets
  https://256.0.0.1/ | unreadable | no address at all

  # Networks of the house and of the provider
  https://10.0.0.1/ | refused | private
  https://172.16.0.1/ | refused | private
  https://172.31.255.255/ | refused | the end of it
  https://192.168.1.1/ | refused | private
  https://100.64.0.1/ | refused | shared
  https://[fd00::1]/ | refused | unique local
  https://[fec0::1]/ | refused | site local
  https://[::ffff:10.0.0.1]/ | refused | private within IPv6
  https://[64:ff9b::a00:1]/ | refused | private behind NAT64
  https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/ | refused | Teredo
  https://169.254.169.254/latest/meta-data/ | refused | what clouds tell of themselves
  https://[fe80::1]/ | refused | link local
  https://[fd00:ec2::254]/ | refused | what clouds tell, in IPv6
  https://168.63.129.16/ | refused | another cloud
  https://100.100.100.200/ | refused | another cloud
  https://192.0.0.192/ | refused | another cloud
  https://224.0.0.1/ | refused | multicast
  https://[ff02::1]/ | refused | multicast in IPv6
  https://255.255.255.255/ | refused | broadcast
  https://240.0.0.1/ | refused | reserved
  https://192.0.2.1/ | refused | for documents
  https://[2001:db8::1]/ | refused | for documents
  https://198.18.0.1/ | refused | for measurements

  # Schemes, ports, and what ends a line
  http://example.com/ | refused | nothing in the clear
  http://127.0.0.1/ | refused | neither there
  gopher://127.0.0.1:6379/_INFO | unreadable | another scheme
  file:///etc/passwd | unreadable | a file
  ftp://example.com/ | unreadable | another scheme
  dict://127.0.0.1:11211/stat | unreadable | another scheme
  ldap://127.0.0.1/ | unreadable | another scheme
  jar:https://example.com!/ | unreadable | another scheme
  //example.com/ | unreadable | none
  https:example.com | unreadable | half of one
  https://example.com:22/ | refused | a port of something else
  https://example.com:25/ | refused | a port of something else
  https://example.com:6379/ | refused | a port of something else
  https://example.com:80/ | refused | the port of the other scheme
  https://example.com:0/ | unreadable | no port
  https://example.com:65536/ | unreadable | no port
  https://example.com:0443/ | unreadable | a zero in front
  https://exa mple.com/ | unreadable | a blank
  https:/// | unreadable | no host

  # And what may be asked
  https://example.com/ | allowed | a public name
  https://EXAMPLE.com:443/a?b=c | allowed | however it is written
  https://example.com:8443/ | allowed | the other usual port
  https://8.8.8.8/ | allowed | a public address
  https://[2606:4700::1111]/ | allowed | a public address in IPv6
  https://[64:ff9b::808:808]/ | allowed | a public address behind NAT64
  https://127.0.0.1.example.com/ | allowed | a name is looked up, whatever it looks like
  """

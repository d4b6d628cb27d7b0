/** Dotted IPv4 addresses that lead to this computer, its network, or nowhere. */
export const notPublicIPv4 = [
  ..."0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254".split(
    " ",
  ),
  ..."127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255 169.254.0.1 169.254.169.254 169.254.255.255".split(" "),
  ..."172.16.0.1 172.20.10.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1".split(" "),
  ..."192.168.0.1 192.168.1.254 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1".split(
    " ",
  ),
  // metadata addresses of clouds: AWS, Google and others; Azure; Alibaba; Oracle
  ..."169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192".split(" "),
  // the rest of IANA's special-purpose registry
  ..."192.0.0.9 192.0.0.170 192.31.196.1 192.52.193.1 192.175.48.1 233.252.0.1".split(" "),
  ..."224.0.0.1 239.255.255.250 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255".split(" "),
]

const hexGroups = (dotted: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

/** IPv6 forms that contain an IPv4 address. */
export const carriers = (dotted: string) => [
  `::ffff:${dotted}`,
  `::ffff:${hexGroups(dotted)}`,
  `0:0:0:0:0:ffff:${hexGroups(dotted)}`,
  `::${dotted}`,
  `::ffff:0:${hexGroups(dotted)}`,
  `64:ff9b::${hexGroups(dotted)}`,
  `64:ff9b:1::${hexGroups(dotted)}`,
  `2002:${hexGroups(dotted)}::1`,
  `2001:0:${hexGroups(dotted)}::1`,
  `2001:db8::5efe:${hexGroups(dotted)}`,
  `2606:4700::5efe:${hexGroups(dotted)}`,
]

/** IPv6 addresses in full that aren't public. */
export const notPublicIPv6 = (
  "::1 :: 0:0:0:0:0:0:0:1 ::2 fe80::1 fe80::1%eth0 fe90::1 febf::1 fec0::1 fc00::1 fd00::1 fd12:3456::1 ff02::1 ff0e::1 100::1 " +
  "fd00:ec2::254 fd20:ce::254 100:0:0:1::1 64:ff9b:1::1 2001:1::1 2001:1::3 2001:3::1 2001:4:112::1 2001:30::1 2620:4f:8000::1 3fff:fff::1 " +
  "2001:db8::1 2001:10::1 2001:20::1 2001:2::1 3fff::1 5f00::1 4000::1 1::1 e000::1 2606:4700::1%eth0"
).split(" ")

import { expect, it } from "vitest"
import { isPublicAddress } from "./safe-fetch.ts"
import { carriers, notPublicIPv4, notPublicIPv6 } from "./testing/not-public.ts"

const noAddresses = [
  "",
  "localhost",
  "127.1",
  "0x7f.1",
  "2130706433",
  "0177.0.0.1",
  "1.1.1",
  "1.1.1.1:80",
  "[::1]",
]

const refused = [
  ...notPublicIPv4,
  ...[...notPublicIPv4, "1.1.1.1"].flatMap(carriers),
  ...notPublicIPv6,
  ...noAddresses,
]

it(`refuses ${refused.length} forms of addresses that aren't public`, () => {
  expect(refused.length).toBeGreaterThan(300)
  expect(refused.filter(isPublicAddress)).toEqual([])
})

it("recognises public addresses", () => {
  const publicOnes =
    "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255 " +
    "172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 223.255.255.255 2606:4700:4700::1111 2a00:1450:4001::1"
  expect(publicOnes.split(" ").filter((address) => !isPublicAddress(address))).toEqual([])
})

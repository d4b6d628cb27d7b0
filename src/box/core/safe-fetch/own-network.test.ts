import { expect, it } from "vitest"
import { isOnOwnNetwork } from "./safe-fetch.ts"

const interfaces = {
  lo: [{ address: "127.0.0.1", cidr: "127.0.0.1/8" }],
  eth0: [
    { address: "93.184.216.5", cidr: "93.184.216.5/24" },
    { address: "2a02:1234::1", cidr: "2a02:1234::1/64" },
    { address: "198.51.100.7", cidr: "198.51.100.7/1" },
    { address: "203.0.113.9", cidr: null },
  ],
  down: undefined,
}

// Catches a page that makes the box fetch data from this computer, or its neighbours, through their public addresses.
it("recognises this computer and its neighbours in every notation", () => {
  const own =
    "93.184.216.5 93.184.216.200 ::ffff:93.184.216.5 2a02:1234::1 2a02:1234:0:0:ffff::9 2A02:1234::0001 198.51.100.7 203.0.113.9"
  expect(own.split(" ").filter((address) => !isOnOwnNetwork(address, interfaces))).toEqual([])
})

// Catches an interface with a mask for all addresses that blocks the internet.
it("treats no other address as a neighbour", () => {
  const others = "93.184.217.5 2a02:1234:0:1::1 1.1.1.1 198.51.100.8 203.0.113.10 nonsense"
  expect(others.split(" ").filter((address) => isOnOwnNetwork(address, interfaces))).toEqual([])
})

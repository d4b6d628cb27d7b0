import { expect, test } from "vitest"
import { hostResolverRules } from "./allowed-addresses.ts"

const needed = { boxHost: "127.0.0.1", feed: null, localOnly: false, platform: "linux" } as const
const own = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1"

// Catches a shell whose pages can resolve any host name. The effect of the rules is tested in e2e/isolated-network.
test("lets Chromium reach the box and the shell's own downloads", () => {
  expect(hostResolverRules({ ...needed, localOnly: true, feed: "https://updates.example/casella" })).toBe(own)
  expect(hostResolverRules({ ...needed, platform: "darwin" })).toBe(own)
  expect(hostResolverRules(needed)).toBe(`${own}, EXCLUDE redirector.gvt1.com, EXCLUDE *.gvt1.com`)
  expect(
    hostResolverRules({
      ...needed,
      platform: "darwin",
      boxHost: "192.168.1.7",
      feed: "https://updates.example:8443/casella",
    }),
  ).toBe(`${own}, EXCLUDE 192.168.1.7, EXCLUDE updates.example, EXCLUDE *.updates.example`)
})

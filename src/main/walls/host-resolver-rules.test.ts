import { expect, test } from "vitest"
import { hostResolverRules } from "./host-resolver-rules.ts"

const needed = { boxHost: "127.0.0.1", feed: null, localOnly: false, platform: "linux" } as const
const own = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1"

// Would catch a shell whose pages can look up any name. What the rules do is shown in e2e/own-network.
test("Chromium reaches the box and what the shell fetches by it", () => {
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

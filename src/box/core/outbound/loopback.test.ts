import { expect, it } from "vitest"
import { isLoopbackHost } from "./loopback.ts"

// Catches a spelling of another computer's address that is mistaken for this computer, so that local-only allows it without a record.
it("recognises this computer by how its name is written, and no other", () => {
  const own = ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]", "::1", "[::ffff:7f00:1]"]
  const urls = ["http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://[::ffff:127.0.0.1]/"]
  const others = [
    ..."localhost.evil.example evil.localhost localhosts 127.0.0.1.nip.io 127.evil 0.0.0.0 192.168.0.1 10.0.0.1".split(
      " ",
    ),
    ..."169.254.169.254 8.8.8.8 1.127.0.0 [::] [::2] [fe80::1] [::ffff:8.8.8.8] [::ffff:808:808] [64:ff9b::7f00:1]".split(
      " ",
    ),
    "",
  ]
  expect(own.filter((host) => !isLoopbackHost(host))).toEqual([])
  expect(urls.filter((url) => !isLoopbackHost(new URL(url).hostname))).toEqual([])
  expect(others.filter(isLoopbackHost)).toEqual([])
})

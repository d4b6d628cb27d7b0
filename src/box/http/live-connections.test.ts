import { expect, it } from "vitest"
import { createLiveConnections } from "./live-connections.ts"

it("ends what a credential has open, and nothing of another's", () => {
  const live = createLiveConnections()
  const ended: string[] = []
  live.track("one", () => ended.push("one"))
  live.track("two", () => ended.push("two"))
  live.close("one")
  expect(ended).toEqual(["one"])
})

// Would catch: a stream that lives on because its key was revoked between the check of the key and its beginning.
it("ends at once what begins with a credential that was ended moments before", () => {
  const live = createLiveConnections()
  live.close("revoked")
  let ended = false
  live.track("revoked", () => (ended = true))
  expect(ended).toBe(true)
})

it("still knows a connection when an earlier one of the same credential is forgotten twice", () => {
  const live = createLiveConnections()
  const first = live.track("key", () => undefined)
  first[Symbol.dispose]()
  let ended = false
  live.track("key", () => (ended = true))
  first[Symbol.dispose]()
  live.close("key")
  expect(ended).toBe(true)
})

import { expect, it, vi } from "vitest"
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

// Would catch: streams of a person who was disabled and is enabled again, each of which ends at once for as long as the box runs.
it("lets a credential be used again a while after its connections ended", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0)
  const live = createLiveConnections()
  live.close("enabled again")
  clock.mockReturnValue(60_000)
  let ended = false
  live.track("enabled again", () => (ended = true))
  clock.mockRestore()
  expect(ended).toBe(false)
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

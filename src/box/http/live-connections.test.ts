import { expect, it, vi } from "vitest"
import { createLiveConnections } from "./live-connections.ts"

it("closes all connections of a credential and no others", () => {
  const live = createLiveConnections()
  const ended: string[] = []
  live.track("one", () => ended.push("one"))
  live.track("two", () => ended.push("two"))
  live.close("one")
  expect(ended).toEqual(["one"])
})

// Catches a stream that stays open because its key was revoked between the key check and the start of the stream.
it("closes a new connection at once when its credential ended moments before", () => {
  const live = createLiveConnections()
  live.close("revoked")
  let ended = false
  live.track("revoked", () => (ended = true))
  expect(ended).toBe(true)
})

// Catches streams of a disabled user that keep closing at once after the user is enabled again, until the box restarts.
it("accepts a credential again some time after its connections were closed", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0)
  const live = createLiveConnections()
  live.close("enabled again")
  clock.mockReturnValue(60_000)
  let ended = false
  live.track("enabled again", () => (ended = true))
  clock.mockRestore()
  expect(ended).toBe(false)
})

it("keeps tracking a connection when an earlier one of the same credential is disposed twice", () => {
  const live = createLiveConnections()
  const first = live.track("key", () => undefined)
  first[Symbol.dispose]()
  let ended = false
  live.track("key", () => (ended = true))
  first[Symbol.dispose]()
  live.close("key")
  expect(ended).toBe(true)
})

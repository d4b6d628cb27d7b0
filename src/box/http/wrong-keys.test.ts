import type { IncomingMessage } from "node:http"
import { expect, it } from "vitest"
import { forwardingToken, forwardedHeader } from "./box-token.ts"
import { createWrongKeys } from "./authenticate.ts"

const from = (remoteAddress: string, headers: IncomingMessage["headers"] = {}) =>
  ({ socket: { remoteAddress }, headers }) as IncomingMessage

// Catches unlimited attempts from another computer, and attempts from one computer that block another one or local programs.
it("rejects all keys from a computer for a minute after many wrong ones", () => {
  let now = 0
  const keys = createWrongKeys(() => now)
  for (let tries = 0; tries < 20; tries++) {
    keys.require(from("192.168.1.7"))
    keys.note(from("192.168.1.7"))
    keys.note(from("127.0.0.1"))
  }
  expect(() => keys.require(from("192.168.1.7"))).toThrow(/Too many requests with wrong API keys/)
  keys.require(from("192.168.1.8"))
  keys.require(from("127.0.0.1"))
  now += 59_999
  expect(() => keys.require(from("192.168.1.7"))).toThrow(/Too many requests with wrong API keys/)
  now += 1
  keys.require(from("192.168.1.7"))
})

// Catches memory that grows with every made-up address.
it("remembers only the latest addresses", () => {
  const keys = createWrongKeys(() => 0)
  for (let tries = 0; tries < 20; tries++) keys.note(from("10.0.0.1"))
  for (let address = 0; address < 10_000; address++) keys.note(from(`fd00::${address.toString(16)}`))
  keys.require(from("10.0.0.1"))
})

// Catches a stranger who blocks everything that another box forwards, and one who avoids the limit by pretending to be such a box.
it("doesn't count keys forwarded by another box, but only if that box has the same secrets key", () => {
  const token = forwardingToken(Buffer.alloc(32, 1))
  const keys = createWrongKeys(() => 0, token)
  const passedOn = (by: string) => from("10.0.0.2", { [forwardedHeader]: by })
  for (let wrong = 0; wrong < 100; wrong++) keys.note(passedOn(token))
  expect(() => keys.require(from("10.0.0.2"))).not.toThrow()
  const forged = passedOn(forwardingToken(Buffer.alloc(32, 2)))
  for (let wrong = 0; wrong < 20; wrong++) keys.note(forged)
  expect(() => keys.require(forged)).toThrow()
  expect(() => keys.require(passedOn(token))).not.toThrow()
})

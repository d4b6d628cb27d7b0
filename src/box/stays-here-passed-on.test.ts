import { afterEach, beforeEach, expect, test } from "vitest"
import { startWalledBox, type WalledBox } from "./testing/walled-box.ts"

let walled: WalledBox
beforeEach(async () => {
  walled = await startWalledBox()
})
afterEach(() => walled[Symbol.asyncDispose]())

const update = (id: string, remote: "allowed" | "never") =>
  walled.box.client.folders.update({ params: { id }, body: { remote } })

// Catches a folder that is never searched by meaning again.
test("a folder that may be sent again is embedded again", async () => {
  await walled.choose("embedding", walled.far)
  const folder = await walled.makeFolder("never")
  expect(walled.leaked()).toEqual([])
  await update(folder, "allowed")
  await expect.poll(() => walled.leaked().length, { timeout: 20_000 }).toBe(1)
})

import { expect, test } from "vitest"
import { guardChannel } from "./channel.ts"

const trusted = "http://127.0.0.1:8484/"
const isTrusted = (address: string) => address === trusted

test("passes the page's call to the handler and returns its result", async () => {
  const call = guardChannel("pickDirectory", isTrusted, () => Promise.resolve("/home/anna"))
  expect(await call(trusted, undefined)).toBe("/home/anna")
})

// Catches a handler that any frame can call, in particular an embedded external page.
test.each([undefined, "", "https://evil.example/", `${trusted}.evil.example/`])(
  "refuses a call from %s without running the handler",
  async (sender) => {
    let handled = false
    const call = guardChannel("pickDirectory", isTrusted, () => {
      handled = true
      return Promise.resolve(null)
    })
    await expect(call(sender, undefined)).rejects.toThrow("not for this sender")
    expect(handled).toBe(false)
  },
)

// Catches arguments that the main process doesn't validate.
test("refuses input that doesn't match the channel's schema", async () => {
  const call = guardChannel("pickDirectory", isTrusted, () => Promise.resolve(null))
  await expect(call(trusted, { properties: ["openFile"] })).rejects.toThrow()
})

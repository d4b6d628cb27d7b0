import { expect, test } from "vitest"
import { guardChannel } from "./channel.ts"

const trusted = "http://127.0.0.1:8484/"
const isTrusted = (address: string) => address === trusted

test("the page's call reaches the handler and its answer the page", async () => {
  const call = guardChannel("pickDirectory", isTrusted, () => Promise.resolve("/home/anna"))
  expect(await call(trusted, undefined)).toBe("/home/anna")
})

// Would catch a handler that any frame can call, an embedded foreign page above all.
test.each([undefined, "", "https://evil.example/", `${trusted}.evil.example/`])(
  "a call from %s is refused and not handled",
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

// Would catch arguments that pass main unchecked.
test("input that doesn't fit the channel is refused", async () => {
  const call = guardChannel("pickDirectory", isTrusted, () => Promise.resolve(null))
  await expect(call(trusted, { properties: ["openFile"] })).rejects.toThrow()
})

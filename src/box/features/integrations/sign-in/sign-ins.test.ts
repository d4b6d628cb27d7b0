import { expect, it } from "vitest"
import { createSignIns } from "./sign-ins.ts"

// Catches someone who cancels the sign-ins of others by starting many, and sign-ins that accumulate without limit.
it("cancels only a person's own sign-ins when there are too many", () => {
  const signIns = createSignIns()
  const begin = (userId: string, key: string) =>
    signIns.begin({ userId, credentialId: userId, origin: "http://127.0.0.1", inApp: false }, key).state
  const ann = begin("ann", "mcp_notes")
  const [first = "", second = ""] = Array.from({ length: 51 }, (_, n) => begin("bob", `mcp_${n}`))
  expect(signIns.require(ann)).toMatchObject({ userId: "ann" })
  expect(() => signIns.require(first)).toThrow()
  expect(signIns.require(second)).toMatchObject({ key: "mcp_1" })
})

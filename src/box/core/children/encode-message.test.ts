import { expect, it } from "vitest"
import { decodeMessage } from "./child.ts"
import { encodeMessage } from "./parent.ts"

const arrived = (message: unknown) => decodeMessage(Buffer.from(encodeMessage(message)))

// Catches bytes that arrive in the wrong place, with another type or with adjacent memory, and text that is changed.
it("transfers children's messages unchanged", () => {
  const vectors = [new Float32Array([0.5, -1]), new Float32Array([2])]
  const message = {
    text: "half a pair \ud800, è, 字",
    nothing: null,
    files: [{ name: "a", bytes: new Uint8Array([1, 2, 3]).subarray(1) }, { bytes: new Uint8Array() }],
    vectors,
  }
  expect(arrived(message)).toEqual(message)
  expect(arrived({ bytes: Buffer.from("x") })).toEqual({ bytes: new Uint8Array([120]) })
  expect(arrived([])).toEqual([])
})

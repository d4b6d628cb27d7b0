import { z } from "zod"
import type { BytesPlace } from "./encode-message.ts"

const kinds = { Uint8Array, Float32Array }

/** The longest JSON text, in bytes: a parser's batch has 1 MB at most. At worst it takes 30 times as much memory. */
const mostText = 8 * 2 ** 20
const lengthBytes = 4

const Place: z.ZodType<BytesPlace> = z.object({
  path: z.array(z.union([z.string(), z.int()])).max(20),
  kind: z.enum(["Uint8Array", "Float32Array"]),
  length: z.int().min(0),
})
const Text = z.object({ message: z.unknown(), places: z.array(Place).max(10_000) })

/** What `encodeMessage` wrote. Whoever wrote it may have meant harm. Throws at anything that isn't what `encodeMessage` makes. */
export function decodeMessage(bytes: Buffer): unknown {
  const end = lengthBytes + bytes.readUInt32LE()
  if (end - lengthBytes > mostText || end > bytes.length)
    throw new Error("The text of a message is too long.")
  const { message, places } = Text.parse(JSON.parse(bytes.toString("utf8", lengthBytes, end)))
  const root = { message }
  let at = end
  for (const { path, kind, length } of places) {
    if (at + length > bytes.length) throw new Error("A message is shorter than it says.")
    // a copy, as numbers of four bytes can't begin anywhere
    const part = new Uint8Array(bytes.subarray(at, at + length))
    place(root, ["message", ...path], new kinds[kind](part.buffer))
    at += length
  }
  return root.message
}

function place(root: object, path: readonly (string | number)[], bytes: Uint8Array | Float32Array): void {
  let holder: unknown = root
  for (const [index, key] of path.entries()) {
    // only what the message itself has: `__proto__` leads to what everybody shares
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key))
      throw new Error("A message has no such place.")
    if (index === path.length - 1) Reflect.set(holder, key, bytes)
    holder = Reflect.get(holder, key)
  }
}

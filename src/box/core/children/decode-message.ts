import { z } from "zod"
import type { BytesLocation } from "./encode-message.ts"

const kinds = { Uint8Array, Float32Array }

/**
 * Maximum length of the JSON text, in bytes: a parser's batch is at most 1 MB. In the worst case, parsing takes 30 times as much memory.
 */
const maxText = 8 * 2 ** 20
const lengthBytes = 4

const BytesLocationSchema: z.ZodType<BytesLocation> = z.object({
  path: z.array(z.union([z.string(), z.int()])).max(20),
  kind: z.enum(["Uint8Array", "Float32Array"]),
  length: z.int().min(0),
})
const Text = z.object({ message: z.unknown(), places: z.array(BytesLocationSchema).max(10_000) })

/** Decodes the output of `encodeMessage`. The sender may be hostile. Throws on any other input. */
export function decodeMessage(bytes: Buffer): unknown {
  const end = lengthBytes + bytes.readUInt32LE()
  if (end - lengthBytes > maxText || end > bytes.length) throw new Error("The text of a message is too long.")
  const { message, places } = Text.parse(JSON.parse(bytes.toString("utf8", lengthBytes, end)))
  const root = { message }
  let at = end
  for (const { path, kind, length } of places) {
    if (at + length > bytes.length) throw new Error("A message is shorter than it says.")
    // a copy, because arrays of four-byte numbers need an aligned start
    const part = new Uint8Array(bytes.subarray(at, at + length))
    place(root, ["message", ...path], new kinds[kind](part.buffer))
    at += length
  }
  return root.message
}

function place(root: object, path: readonly (string | number)[], bytes: Uint8Array | Float32Array): void {
  let holder: unknown = root
  for (const [index, key] of path.entries()) {
    // only own properties: `__proto__` leads to objects that all code shares
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key))
      throw new Error("A message has no such place.")
    if (index === path.length - 1) Reflect.set(holder, key, bytes)
    holder = Reflect.get(holder, key)
  }
}

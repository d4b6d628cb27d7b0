import type { ChildProcess } from "node:child_process"
import { z } from "zod"
import type { BytesLocation } from "./parent.ts"
import { innerProperty } from "./sandbox/inner-property.ts"

const kinds = { Uint8Array, Float32Array }

/**
 * Maximum length of the JSON text, in bytes: a parser's batch is at most 1 MB. In the worst case, parsing takes 30 times as much memory.
 */
const maxText = 8 * 2 ** 20
const textLengthBytes = 4

const BytesLocationSchema: z.ZodType<BytesLocation> = z.object({
  path: z.array(z.union([z.string(), z.int()])).max(20),
  kind: z.enum(["Uint8Array", "Float32Array"]),
  length: z.int().min(0),
})
const Text = z.object({ message: z.unknown(), places: z.array(BytesLocationSchema).max(10_000) })

/** Decodes the output of `encodeMessage`. The sender may be hostile. Throws on any other input. */
export function decodeMessage(bytes: Buffer): unknown {
  const end = textLengthBytes + bytes.readUInt32LE()
  if (end - textLengthBytes > maxText || end > bytes.length)
    throw new Error("The text of a message is too long.")
  const { message, places } = Text.parse(JSON.parse(bytes.toString("utf8", textLengthBytes, end)))
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

/** Internal part of Node's channel object, which has no public interface. */
interface Channel {
  onread(this: unknown, bytes?: ArrayBuffer): void
}

/** Each message is preceded by its length in bytes. */
const lengthBytes = 4

/**
 * Reads a child's messages, which `parent.ts` encodes, in place of Node. Calls `end` on any other data in the channel, or on a message of
 * more than `maxBytes`. A compromised child could otherwise make Node throw an error that can't be caught, or build gigabytes of objects
 * from a few hundred bytes before they can be checked.
 */
export function boundChannel(child: ChildProcess, maxBytes: number, end: () => void): void {
  const channel = innerProperty(child, "kChannelHandle") as Channel | undefined
  if (channel === undefined) return // the child never started
  const nodeReads = channel.onread
  let chunks: Buffer[] = []
  let size = 0
  /** Length of the message that is arriving; undefined until its length has arrived. */
  let length: number | undefined
  let isOver = false

  function take(count: number): Buffer {
    const all = Buffer.concat(chunks, size)
    chunks = [all.subarray(count)]
    size -= count
    return all.subarray(0, count)
  }

  /** Returns the next complete message. Throws if the data isn't a message. */
  function next(): { message: unknown } | undefined {
    if (length === undefined && size >= lengthBytes) length = take(lengthBytes).readUInt32BE()
    if (length === undefined) return undefined
    if (length > maxBytes) throw new Error("A message is too long.")
    if (size < length) return undefined
    const message = decodeMessage(getContent(take(length)))
    length = undefined
    return { message }
  }

  channel.onread = function (bytes) {
    if (bytes === undefined) return nodeReads.call(this) // the channel is closed
    if (isOver) return
    chunks.push(Buffer.from(bytes))
    size += bytes.byteLength
    const arrived: unknown[] = []
    try {
      for (let found = next(); found; found = next()) arrived.push(found.message)
    } catch {
      isOver = true
    }
    for (const message of arrived) child.emit("message", message)
    if (isOver) end()
  }
}

/** Returns the bytes of a Uint8Array in Node's format, if there is nothing else: version, host object, view, kind. */
function getContent(written: Buffer): Buffer {
  const isBytes = written[0] === 0xff && written.toString("hex", 2, 5) === "5c0001"
  let at = 5
  let length = 0
  for (let shift = 0; shift < 32; shift += 7) {
    const byte = written[at++] ?? 0
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  if (!isBytes || length !== written.length - at) throw new Error("This is no message of ours.")
  return written.subarray(at)
}

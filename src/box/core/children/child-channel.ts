import type { ChildProcess } from "node:child_process"
import { decodeMessage } from "./decode-message.ts"
import { innerProperty } from "./walls/inner-property.ts"

/** What Node keeps of a channel, which it has no interface for. */
interface Channel {
  onread(this: unknown, bytes?: ArrayBuffer): void
}

/** Before each message, its length in bytes. */
const lengthBytes = 4

/**
 * Hears a child's messages (`encode-message.ts`) in place of Node, and calls `end` at anything else that it writes to its
 * channel, or at more than `mostBytes` in one message. Node throws where nobody can catch it, and makes gigabytes of objects
 * of some hundred bytes before anybody can look at them; a child that was taken over needs no more than that.
 */
export function boundChannel(child: ChildProcess, mostBytes: number, end: () => void): void {
  const channel = innerProperty(child, "kChannelHandle") as Channel | undefined
  if (channel === undefined) return // it never started
  const nodeReads = channel.onread
  let chunks: Buffer[] = []
  let size = 0
  /** Of the message that is arriving; undefined before its length is there. */
  let length: number | undefined
  let isOver = false

  function take(count: number): Buffer {
    const all = Buffer.concat(chunks, size)
    chunks = [all.subarray(count)]
    size -= count
    return all.subarray(0, count)
  }

  /** The next message that is there in full. Throws where it is none. */
  function next(): { message: unknown } | undefined {
    if (length === undefined && size >= lengthBytes) length = take(lengthBytes).readUInt32BE()
    if (length === undefined) return undefined
    if (length > mostBytes) throw new Error("A message is too long.")
    if (size < length) return undefined
    const message = decodeMessage(contentOf(take(length)))
    length = undefined
    return { message }
  }

  channel.onread = function (bytes) {
    if (bytes === undefined) return nodeReads.call(this) // it is closed
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

/** The bytes of an Uint8Array in Node's format, when that is all there is: version, an object of Node's, a view, its kind. */
function contentOf(written: Buffer): Buffer {
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

import { constants } from "node:os"
import process from "node:process"

/**
 * Encodes children's messages as bytes: the length of a JSON text, the text, then the message's byte arrays. Node's own format can turn a
 * few hundred bytes into gigabytes, for example as long empty arrays. JSON's result is bounded by its length.
 */

/** Position of a byte array in the message, where null takes its place in the JSON text. */
export interface BytesLocation {
  path: (string | number)[]
  kind: "Uint8Array" | "Float32Array"
  /** In bytes. */
  length: number
}

export function encodeMessage(message: unknown): Uint8Array {
  const places: BytesLocation[] = []
  const found: (Uint8Array | Float32Array)[] = []
  function removeBytes(value: unknown, path: (string | number)[]): unknown {
    if (value instanceof Uint8Array || value instanceof Float32Array) {
      const kind = value instanceof Float32Array ? "Float32Array" : "Uint8Array"
      places.push({ path, kind, length: value.byteLength })
      found.push(value)
      return null
    }
    if (Array.isArray(value)) return value.map((each, index) => removeBytes(each, [...path, index]))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, removeBytes(each, [...path, key])]),
    )
  }
  const text = Buffer.from(JSON.stringify({ message: removeBytes(message, []), places }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  const parts = found.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  )
  return new Uint8Array(Buffer.concat([length, text, ...parts]))
}

/** The child's end of the channel (`child.ts` is the other end): a forked Node process or an Electron utility process. */
export interface Parent<Request, Reply> {
  send(message: Reply): void
  onMessage(listener: (message: Request) => void): void
}

interface ParentPort {
  postMessage(message: unknown): void
  on(event: "message", listener: (event: { data: unknown }) => void): void
}

/** Connects to the parent process, and ends this process when the parent is gone. */
export function connectToParent<Request, Reply>(): Parent<Request, Reply> {
  const port = (process as NodeJS.Process & { parentPort?: ParentPort }).parentPort
  if (port !== undefined) {
    return {
      send: (message) => port.postMessage(message),
      onMessage: (listener) => port.on("message", ({ data }) => listener(data as Request)),
    }
  }
  // `process.kill` calls this function, and both are removed when the process gives up its rights
  const { _kill: kill } = process as NodeJS.Process & { _kill(pid: number, signal: number): void }
  const end = (): void => kill(process.pid, constants.signals.SIGKILL)
  // SIGKILL instead of exit(): running native code would delay an orderly exit
  process.on("disconnect", end)
  return {
    send: (message) => {
      if (process.connected) process.send?.(encodeMessage(message), undefined, undefined, () => undefined)
    },
    onMessage: (listener) => process.on("message", (message) => listener(message as Request)),
  }
}

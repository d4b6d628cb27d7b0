declare module "pino-roll" {
  import type { Writable } from "node:stream"

  export default function roll(options: {
    file: string
    extension?: string
    size?: string
    limit?: { count: number }
    /** Bytes that may wait to be written; what comes on top is dropped. */
    maxLength?: number
  }): Promise<Writable>
}

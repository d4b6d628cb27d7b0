import { CFB } from "@e965/xlsx"

interface Writer {
  utils: {
    cfb_new(): object
    cfb_add(file: object, path: string, content: Buffer): void
    cfb_del(file: object, path: string): void
  }
  write(file: object, options: { type: "buffer" }): Buffer
}

/** Creates a compound file with these streams, by path. Uses a different library from the one under test. */
export function compoundBytes(streams: Record<string, string | Uint8Array>): Buffer {
  const { utils, write } = CFB as Writer
  const file = utils.cfb_new()
  for (const [path, content] of Object.entries(streams)) {
    utils.cfb_add(file, `/${path}`, Buffer.from(content as string))
  }
  utils.cfb_del(file, "/\u0001Sh33tJ5")
  return write(file, { type: "buffer" })
}

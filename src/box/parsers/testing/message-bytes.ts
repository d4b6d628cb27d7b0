import { compoundBytes } from "./compound-bytes.ts"

/** Creates an Outlook message with these attachments and nothing else. */
export function messageBytes(attachments: Record<string, Uint8Array>): Buffer {
  const storages = Object.entries(attachments).map(([name, bytes], index) => {
    const storage = `__attach_version1.0_#${String(index).padStart(8, "0")}`
    return {
      [`${storage}/__properties_version1.0`]: Buffer.alloc(8),
      [`${storage}/__substg1.0_3707001F`]: Buffer.from(name, "utf16le"),
      [`${storage}/__substg1.0_37010102`]: Buffer.from(bytes),
    }
  })
  return compoundBytes(Object.assign({ "__properties_version1.0": Buffer.alloc(32) }, ...storages))
}

import type { CompoundArchive } from "../compound/compound-archive.ts"
import type { PropertyStore } from "./property-store.ts"

const entryBytes = 8
const firstNamedProperty = 0x8000
const maxCategories = 100

/** Returns the categories of a message. They are a named property, whose number differs in each file (MS-OXMSG 2.2.3). */
export function getCategories(archive: CompoundArchive, message: PropertyStore): string[] {
  const id = namedProperty(archive, "Keywords")
  if (id === undefined) return []
  const found: string[] = []
  for (let index = 0; index < maxCategories; index++) {
    const category = message.item(id, index)
    if (category === undefined) break
    found.push(category)
  }
  return found
}

/** Returns the number of the property with this name. */
function namedProperty(archive: CompoundArchive, name: string): number | undefined {
  const entries = archive.read("__nameid_version1.0/__substg1.0_00030102") ?? Buffer.alloc(0)
  const names = archive.read("__nameid_version1.0/__substg1.0_00040102") ?? Buffer.alloc(0)
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    const isString = (entries.readUInt16LE(at + 4) & 1) === 1
    const start = entries.readUInt32LE(at)
    if (!isString || start + 4 > names.length) continue
    const end = start + 4 + names.readUInt32LE(start)
    if (names.toString("utf16le", start + 4, end) === name)
      return firstNamedProperty + entries.readUInt16LE(at + 6)
  }
  return undefined
}

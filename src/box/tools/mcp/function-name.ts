import { createHash } from "node:crypto"

/** Maximum length of a function name that engines accept. */
const longest = 64
const hashLength = 8

/**
 * Returns the name that models use for a server's tool: `<key>_<name>`. Keys contain no `_` after their prefix, so no two servers of a user
 * share a name. If characters had to be removed, a hash of the original keeps tools distinct.
 */
export function functionName(key: string, name: string): string {
  const whole = `${key}_${name}`
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, "_")
  if (plain === whole && plain.length <= longest) return plain
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, hashLength)
  return `${plain.slice(0, longest - hashLength - 1)}_${hash}`
}

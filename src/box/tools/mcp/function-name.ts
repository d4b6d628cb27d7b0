import { createHash } from "node:crypto"

/** What engines take for a function's name. */
const longest = 64
const hashLength = 8

/**
 * The name under which models call a server's function: `<key>_<name>`. Keys hold no `_` after their prefix, so no two
 * servers of a user share a name; where characters had to go, a hash of the original keeps two functions apart.
 */
export function functionName(key: string, name: string): string {
  const whole = `${key}_${name}`
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, "_")
  if (plain === whole && plain.length <= longest) return plain
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, hashLength)
  return `${plain.slice(0, longest - hashLength - 1)}_${hash}`
}

import { createHash } from "node:crypto"
import type { Definition } from "./definitions.ts"

/** Returns the hash of everything that models and people are shown of a tool, and of its server's name for it. */
export function hashTool({ name, functionName, description, parameters }: Omit<Definition, "hash">): string {
  const shown = JSON.stringify({ name, functionName, description, parameters })
  return createHash("sha256").update(shown).digest("hex")
}

import { createHash } from "node:crypto"

interface HashedTool {
  name: string
  functionName: string
  description: string
  /** Its JSON Schema. */
  parameters: unknown
}

/** Returns the hash of everything that models and people are shown of a tool, and of its server's name for it. */
export function hashTool({ name, functionName, description, parameters }: HashedTool): string {
  const shown = JSON.stringify({ name, functionName, description, parameters })
  return createHash("sha256").update(shown).digest("hex")
}

import { createHash } from "node:crypto"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"

/** Identifies exactly this command with exactly these variables. A client that sends it back has seen what will run. */
export function consentFor(target: ServerTarget | null, env: Record<string, string>): string | null {
  if (target?.kind !== "command") return null
  const variables = Object.keys(env)
    .sort()
    .map((name) => [name, env[name]])
  const what = JSON.stringify([target.command, target.args, variables])
  return createHash("sha256").update(what).digest("base64url")
}

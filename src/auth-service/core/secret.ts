import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { newSecret } from "./ids.ts"
import { ensurePrivateDirectory } from "./open-database.ts"

/**
 * The secret that signs sessions and encrypts the private keys of JWTs. It comes from `CASELLA_AUTH_SECRET`, which servers that share a
 * database must also share, or from a file that the first start writes into the data directory.
 */
export function loadSecret(dataDir: string, env: Record<string, string | undefined> = process.env): string {
  const given = env["CASELLA_AUTH_SECRET"]
  if (given !== undefined && given !== "") return given
  ensurePrivateDirectory(dataDir)
  const path = join(dataDir, "secret")
  // "wx" fails if the file exists, so two concurrent first starts end up with the same secret.
  if (!existsSync(path)) {
    try {
      writeFileSync(path, newSecret(), { flag: "wx", mode: 0o600, flush: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
  return readFileSync(path, "utf8").trim()
}

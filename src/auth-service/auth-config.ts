import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { newSecret } from "./core/ids.ts"
import { ensurePrivateDirectory } from "./core/open-database.ts"

/** Startup configuration of the service. */
export interface AuthConfig {
  /** Address to listen on. */
  host: string
  /** 0 selects a free port. */
  port: number
  /** Directory for the embedded database and the service's secret. */
  dataDir: string
  /** URL of a PostgreSQL database; null means SQLite in the data directory. */
  databaseUrl: string | null
  /** URL that users open if it isn't loopback, such as that of a TLS proxy. */
  publicUrl: string | null
}

export interface AuthFlags {
  port?: string | undefined
  host?: string | undefined
  data?: string | undefined
  "database-url"?: string | undefined
  "public-url"?: string | undefined
}

/** The command line is wrong. The message describes what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

type Environment = Record<string, string | undefined>

/** Flags override environment variables, which override defaults. Throws `UsageError`. */
export function readConfig(flags: AuthFlags, env: Environment = process.env): AuthConfig {
  return {
    host: flags.host ?? set(env["CASELLA_AUTH_HOST"]) ?? "127.0.0.1",
    port: readPort(flags.port ?? set(env["CASELLA_AUTH_PORT"]) ?? "8585"),
    ...readStorage(flags, env),
    publicUrl: readAddress(flags["public-url"] ?? set(env["CASELLA_AUTH_PUBLIC_URL"])),
  }
}

/** Storage location of accounts and tickets, for the service and for commands. */
export function readStorage(
  flags: AuthFlags,
  env: Environment = process.env,
): Pick<AuthConfig, "dataDir" | "databaseUrl"> {
  const databaseUrl = flags["database-url"] ?? set(env["CASELLA_AUTH_DATABASE_URL"]) ?? null
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new UsageError("--database-url takes an address like postgres://user:password@host/database.")
  }
  const dataDir = flags.data ?? set(env["CASELLA_AUTH_DATA"]) ?? join(userDataRoot(env), "Casella Auth")
  return { dataDir: resolve(dataDir), databaseUrl }
}

const set = (value: string | undefined): string | undefined => (value === "" ? undefined : value)

function userDataRoot(env: Environment): string {
  if (process.platform === "win32") return env["APPDATA"] ?? join(homedir(), "AppData", "Roaming")
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support")
  return env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config")
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}".`)
}

function readAddress(value: string | undefined): string | null {
  if (value === undefined) return null
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return new URL(value).origin
  throw new UsageError(`--public-url takes an http(s) address, not "${value}".`)
}

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

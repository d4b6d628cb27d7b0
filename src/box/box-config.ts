import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import { toOrigin } from "../shared/web-origin.ts"
import { isHere, readS3Address, type S3Address } from "./core/objects/s3-address.ts"
import { isLoopbackHost } from "./core/outbound/loopback.ts"
import { TerminalError } from "./core/terminal-error.ts"
import type { OidcConfig, OidcFlags } from "./oidc-config.ts"

export type { OidcConfig } from "./oidc-config.ts"

/** Startup configuration of a box. */
export interface BoxConfig {
  /** Address to listen on. Addresses other than loopback need an allowed host. */
  host: string
  /** 0 selects a free port. */
  port: number
  dataDir: string
  /** URL of a PostgreSQL database for the rows; null means a file in the data directory. */
  databaseUrl: string | null
  /** Object store for the files of the box's own folders; null means the data directory. */
  files: S3Address | null
  /** Object store for the tables of the search index; null means the data directory. */
  vectors: S3Address | null
  /** 32 bytes that encrypt other services' tokens and keys in the rows; null means a key file in the data directory. */
  secretsKey: Buffer | null
  /** Address at which standby boxes reach this one; null means its own address on this computer. */
  peerUrl: string | null
  /** Maximum size of local copies of files, in 10⁹ bytes. */
  filesCacheGb: number
  /** Maximum size of local copies of the index's tables, in 10⁹ bytes. */
  vectorsCacheGb: number
  /** Path of a GGUF file, or http(s) URL of an OpenAI-compatible server ending in `/v1`. */
  model: string | null
  /** Like `model`, for embeddings. */
  embeddingModel: string | null
  authUrl: string | null
  /** Nothing may leave this computer, and the page can't change that. */
  localOnly: boolean
  /** Host names that requests may use, in addition to loopback. */
  allowedHosts: string[]
  /** Web origins that may call the box, in addition to its own. */
  allowedOrigins: string[]
  /** Origin that browsers use, if it isn't the box's own address; usually an HTTPS proxy. */
  publicUrl: string | null
  /** Provider that identifies users, in addition to the box's own links. */
  oidc: OidcConfig | null
}

export interface BoxFlags extends OidcFlags {
  host?: string | undefined
  port?: string | undefined
  data?: string | undefined
  "database-url"?: string | undefined
  files?: string | undefined
  vectors?: string | undefined
  "files-cache-gb"?: string | undefined
  "vectors-cache-gb"?: string | undefined
  "peer-url"?: string | undefined
  model?: string | undefined
  "embedding-model"?: string | undefined
  "auth-url"?: string | undefined
  "local-only"?: boolean | undefined
  "allow-host"?: string[] | undefined
  "allow-origin"?: string[] | undefined
}

type Environment = Record<string, string | undefined>

/** Flags override environment variables, which override defaults. Throws `validation` with what to change. */
export function readConfig(flags: BoxFlags, env: Environment = process.env): BoxConfig {
  const host = flags.host ?? set(env["CASELLA_HOST"]) ?? "127.0.0.1"
  const config = {
    host,
    port: readPort(flags.port ?? set(env["CASELLA_PORT"]) ?? "8484"),
    dataDir: dataDirectory(flags, env),
    databaseUrl: databaseUrl(flags, env),
    files: filesAddress(flags, env),
    vectors: vectorsAddress(flags, env),
    secretsKey: readSecretsKey(set(env["CASELLA_SECRETS_KEY"])),
    peerUrl: readPeer(flags["peer-url"] ?? set(env["CASELLA_PEER_URL"])),
    filesCacheGb: readGigabytes("files-cache-gb", flags, set(env["CASELLA_FILES_CACHE_GB"])),
    vectorsCacheGb: readGigabytes("vectors-cache-gb", flags, set(env["CASELLA_VECTORS_CACHE_GB"])),
    model: readModel(flags.model ?? set(env["CASELLA_MODEL"])),
    embeddingModel: readModel(flags["embedding-model"] ?? set(env["CASELLA_EMBEDDING_MODEL"])),
    authUrl: readAddress(flags["auth-url"] ?? set(env["CASELLA_AUTH_URL"])),
    localOnly: flags["local-only"] ?? readSwitch("CASELLA_LOCAL_ONLY", set(env["CASELLA_LOCAL_ONLY"])),
    allowedHosts: flags["allow-host"] ?? [],
    allowedOrigins: (flags["allow-origin"] ?? []).map(readOrigin),
    publicUrl: null,
    oidc: null,
  }
  requireLocalRows(config, env)
  requireLocalObjects(config)
  requireLocalPeer(config)
  return config
}

/** Includes the provider that flags or environment name; its reader is loaded only if they name one. Throws like `readConfig`. */
export async function readWholeConfig(flags: BoxFlags, env: Environment = process.env): Promise<BoxConfig> {
  const config = readConfig(flags, env)
  const names = [...Object.keys(flags), ...Object.keys(env)]
  if (!names.some((name) => /^(oidc-|public-url|CASELLA_(OIDC|PUBLIC_URL))/.test(name))) return config
  const { readOidc, readPublicUrl } = await import("./oidc-config.ts")
  return { ...config, publicUrl: readPublicUrl(flags, env), oidc: readOidc(flags, env, config.localOnly) }
}

/** Rows on a remote server leave this computer. */
function requireLocalRows({ localOnly, databaseUrl }: BoxConfig, env: Environment): void {
  if (!localOnly || databaseUrl === null) return
  const { hostname, searchParams } = new URL(databaseUrl)
  const host = [searchParams.getAll("host").at(-1), hostname, env["PGHOST"]].find(Boolean) ?? "localhost" // follows the driver's order
  if (host.startsWith("/") || isLoopbackHost(host)) return
  throw new TerminalError(
    "validation",
    `--local-only sends nothing to other computers, and the database is on ${host}. Leave out one of the two.`,
  )
}

/** Local-only also forbids a peer on another computer. */
function requireLocalPeer({ localOnly, peerUrl }: BoxConfig): void {
  if (!localOnly || peerUrl === null || isLoopbackHost(new URL(peerUrl).hostname)) return
  throw new TerminalError(
    "validation",
    "--local-only sends nothing to other computers, and --peer-url is for boxes on them. Leave out one of the two.",
  )
}

/** Files on a remote store leave this computer too. */
function requireLocalObjects({ localOnly, files, vectors }: BoxConfig): void {
  const remoteStore = [files, vectors].find((location) => location !== null && !isHere(location))
  if (!localOnly || !remoteStore) return
  throw new TerminalError(
    "validation",
    `--local-only sends nothing to other computers, and ${remoteStore.address} is on one. Leave out one of the two.`,
  )
}

/** The data directory from flags and environment; defaults to the platform's location for application data. */
export function dataDirectory(flags: BoxFlags, env: Environment = process.env): string {
  return resolve(flags.data ?? set(env["CASELLA_DATA"]) ?? join(userDataRoot(env), "Casella"))
}

/** The PostgreSQL database from flags and environment. */
export function databaseUrl(flags: BoxFlags, env: Environment = process.env): string | null {
  const value = flags["database-url"] ?? set(env["CASELLA_DATABASE_URL"])
  return value === undefined ? null : readDatabaseUrl(value, "--database-url")
}

/** The object store from flags and environment. */
export function filesAddress(flags: BoxFlags, env: Environment = process.env): S3Address | null {
  const value = flags.files ?? set(env["CASELLA_FILES"])
  return value === undefined ? null : readS3Address(value, "--files", env)
}

function vectorsAddress(flags: BoxFlags, env: Environment): S3Address | null {
  const value = flags.vectors ?? set(env["CASELLA_VECTORS"])
  return value === undefined ? null : readS3Address(value, "--vectors", env)
}

/** Throws `validation` without the value, which may contain a password. */
export function readDatabaseUrl(value: string, flag: string): string {
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return value
  throw new TerminalError(
    "validation",
    `${flag} takes an address like postgres://name:password@host/database.`,
  )
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
  throw new TerminalError("validation", `--port takes a number from 0 to 65535, not "${text}".`)
}

function readGigabytes(
  flag: "files-cache-gb" | "vectors-cache-gb",
  flags: BoxFlags,
  value: string | undefined,
): number {
  const text = flags[flag] ?? value ?? "10"
  if (/^\d{1,6}(\.\d+)?$/.test(text)) return Number(text)
  throw new TerminalError("validation", `--${flag} takes a number of gigabytes, not "${text}".`)
}

/** The key can only be in the environment, where other users of the computer can't see it. Throws `validation` without the value. */
function readSecretsKey(text: string | undefined): Buffer | null {
  if (text === undefined) return null
  const key = Buffer.from(text, "base64")
  if (key.length === 32 && key.toString("base64") === text) return key
  throw new TerminalError(
    "validation",
    "CASELLA_SECRETS_KEY takes 32 random bytes in base64, such as `openssl rand -base64 32` prints.",
  )
}

/** Anything unclear is an error, because a typo must not leave a safety switch off. */
function readSwitch(name: string, value: string | undefined): boolean {
  if (value === undefined || /^(0|false|no|off)$/i.test(value)) return false
  if (/^(1|true|yes|on)$/i.test(value)) return true
  throw new TerminalError("validation", `${name} takes 1 or 0, not "${value}".`)
}

function readModel(value: string | undefined): string | null {
  if (value === undefined) return null
  if (/^https?:\/\//i.test(value)) return readAddress(value)
  return isAbsolute(value) ? value : resolve(value)
}

function readAddress(value: string | undefined): string | null {
  if (value === undefined) return null
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value.replace(/\/+$/, "")
  throw new TerminalError("validation", `"${value}" isn't an http(s) address.`)
}

function readPeer(value: string | undefined): string | null {
  if (value === undefined) return null
  const url = URL.parse(value)
  if (url?.protocol === "http:" && url.href === `${url.origin}/`) return url.origin
  throw new TerminalError(
    "validation",
    `--peer-url takes an address like http://10.0.0.1:8484, not "${value}".`,
  )
}

function readOrigin(value: string): string {
  const origin = toOrigin(value)
  if (origin !== null) return origin
  throw new TerminalError(
    "validation",
    `--allow-origin takes an origin like https://app.example, not "${value}".`,
  )
}

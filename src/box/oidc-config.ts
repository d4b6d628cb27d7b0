import { isLoopbackHost } from "./core/outbound/loopback.ts"
import { TerminalError } from "./core/terminal-error.ts"

/** The OpenID Connect provider that authenticates users. */
export interface OidcConfig {
  issuer: string
  clientId: string
  /** null: a public client, which is protected by PKCE alone. */
  clientSecret: string | null
  /** Users in one of these groups may sign in; null: all users whom the provider accepts. */
  groups: readonly string[] | null
  /** Users in one of these groups are owners, and no one else is; empty: the provider doesn't decide roles. */
  ownerGroups: readonly string[]
  /** Claim that lists a user's groups. */
  groupsClaim: string
}

export interface OidcFlags {
  "public-url"?: string | undefined
  "oidc-issuer"?: string | undefined
  "oidc-client-id"?: string | undefined
  "oidc-groups"?: string | undefined
  "oidc-owner-groups"?: string | undefined
  "oidc-groups-claim"?: string | undefined
}

type Environment = Record<string, string | undefined>
type OidcFlag = keyof OidcFlags

const everybody = "*"
const refuse = (message: string) => new TerminalError("validation", message)

/** Throws `validation`, with what to change, for settings that are missing or contradict each other. */
export function readOidc(flags: OidcFlags, env: Environment, localOnly: boolean): OidcConfig | null {
  const given = (flag: OidcFlag) => getValue(flags, env, flag)
  const issuer = given("oidc-issuer")
  const clientSecret = env["CASELLA_OIDC_CLIENT_SECRET"] || null
  if (issuer === undefined) {
    const others = ["oidc-client-id", "oidc-groups", "oidc-owner-groups", "oidc-groups-claim"] as const
    const alone = others.find((flag) => given(flag) !== undefined)
    if (alone !== undefined) throw refuse(`--${alone} has no effect without --oidc-issuer URL.`)
    if (clientSecret !== null)
      throw refuse("CASELLA_OIDC_CLIENT_SECRET has no effect without --oidc-issuer URL.")
    return null
  }
  const { hostname } = new URL(safeAddress(issuer, "oidc-issuer"))
  if (localOnly && !isLoopbackHost(hostname))
    throw refuse(
      `--local-only sends nothing to other computers, and --oidc-issuer is ${hostname}. Leave out one of the two.`,
    )
  const clientId = given("oidc-client-id")
  if (clientId === undefined)
    throw refuse("--oidc-issuer needs --oidc-client-id ID: the client ID that the provider gave this server.")
  const groups = getList(given("oidc-groups"))
  const ownerGroups = getList(given("oidc-owner-groups"))
  const isOpen = groups.includes(everybody)
  if (groups.length === 0 && ownerGroups.length === 0)
    throw refuse(
      `State who may sign in: --oidc-groups NAME,NAME, or --oidc-groups "${everybody}" for everyone whom the provider accepts.`,
    )
  if (ownerGroups.includes(everybody) || (isOpen && groups.length > 1))
    throw refuse(`"${everybody}" can only be used alone, in --oidc-groups.`)
  const groupsClaim = given("oidc-groups-claim") ?? "groups"
  return {
    issuer,
    clientId,
    clientSecret,
    groups: isOpen ? null : [...groups, ...ownerGroups],
    ownerGroups,
    groupsClaim,
  }
}

/** The origin at which browsers reach the box; null: its own address. */
export function readPublicUrl(flags: OidcFlags, env: Environment): string | null {
  const value = getValue(flags, env, "public-url")
  if (value === undefined) return null
  const url = new URL(safeAddress(value, "public-url"))
  if (url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "") return url.origin
  throw refuse(`--public-url takes an address without a path, like https://casella.example, not "${value}".`)
}

/** Codes and tokens are sent there, so plain HTTP is only allowed on this computer. */
function safeAddress(value: string, flag: OidcFlag): string {
  const url = URL.parse(value)
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname))) return value
  throw refuse(`--${flag} takes an https address (http on this computer only), not "${value}".`)
}

function getValue(flags: OidcFlags, env: Environment, flag: OidcFlag): string | undefined {
  const value = flags[flag] ?? env[`CASELLA_${flag.toUpperCase().replaceAll("-", "_")}`]
  return value === "" ? undefined : value
}

const getList = (value = "") =>
  value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

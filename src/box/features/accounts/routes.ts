import type { IncomingMessage } from "node:http"
import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  readCookie,
  readSecret,
  sessionCookie,
  type Authenticate,
  type DownloadTickets,
} from "../../http/authenticate.ts"
import { requireOwner } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import type { KeyCalls, Keys } from "./keys.ts"
import type { People } from "./people.ts"
import type { ProviderSignIn } from "./provider/provider-sign-in.ts"
import type { PageSession, Sessions } from "./sessions.ts"

export interface Listening {
  /** Address on which the box listens. */
  host: string
  port: number
  /** Host names other than loopback that requests may use. Some include a port. */
  allowedHosts: readonly string[]
  /** Additional addresses, with port, on which the box listens because its owner enabled them. */
  openAddresses: readonly string[]
  /** URL at which browsers reach the box through a proxy. */
  publicUrl: string | null
}

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/
const everywhere = new Set(["0.0.0.0", "::"])

/** Returns the URLs that open the page: on the box's own computer, and from other computers if the box listens for them. */
export function pageAddresses({ host, port, allowedHosts, openAddresses, publicUrl }: Listening): {
  local: string
  network: string[]
} {
  const addPort = (name: string) => (/:\d{1,5}$/.test(name) ? name : `${name}:${port}`)
  const name = everywhere.has(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  return {
    local: `http://${name}:${port}`,
    network: [
      ...(publicUrl === null ? [] : [publicUrl]),
      ...(loopback.test(host) && openAddresses.length === 0
        ? []
        : [...openAddresses, ...allowedHosts].map((allowed) => `http://${addPort(allowed)}`)),
    ],
  }
}

export interface AccountRoutesDeps {
  people: People
  sessions: Sessions
  authenticate: Authenticate
  tickets: DownloadTickets
  version: string
  /** Returns the URL where a browser signs out at the provider that issued this ID token; null if there is none. */
  leaveProvider(idToken: string): Promise<string | null>
  /** Part of the cookie's name. */
  port: () => number
}

export function accountHandlers({
  people,
  sessions,
  authenticate,
  tickets,
  version,
  leaveProvider,
  port,
}: AccountRoutesDeps): Handlers<typeof api.account> {
  const cookieOptions = { httpOnly: true, sameSite: "strict", path: "/" } as const

  /** Returns the session that the browser already has, even if another port removed the page's cookie. */
  async function currentSession(request: IncomingMessage): Promise<PageSession | null> {
    const caller = await authenticate(request, "header").catch((error: unknown) => {
      if (error instanceof AppError) return null
      throw error
    })
    if (caller?.via === "session") return { id: caller.credentialId, userId: caller.userId, hasCookie: true }
    const secret = readSecret(request, "header")
    return secret === undefined ? null : sessions.findBySecret(secret)
  }

  return {
    health: () => ({ status: "ok", version }),

    me: ({ caller }) => describeCaller(people, caller.userId),

    async signIn({ body, request, response }) {
      const name = sessionCookie(port())
      const cookie = readCookie(request, name)
      const current = await currentSession(request)
      const exchange = await sessions.exchange(body.token, current, body.replace)
      const user = exchange.status === "refused" ? null : await people.user(exchange.userId)
      if (exchange.status === "refused" || !user) {
        throw new AppError("unauthorized", sentence("accounts.link_used"))
      }
      if (exchange.status === "other") {
        const signedIn = current && (await people.user(current.userId))
        throw new AppError("other_session", sentence("accounts.other_session", { name: user.name }), {
          details: { current: signedIn, next: user },
        })
      }
      const { credentials, maxAgeMs } = exchange
      response.cookie(name, credentials?.token ?? cookie, { ...cookieOptions, maxAge: maxAgeMs })
      response.setHeader("cache-control", "no-store")
      return { user, secret: credentials?.secret ?? null }
    },

    async signOut({ caller, response }) {
      if (caller.via !== "session") return { success: true }
      const { closeAll, idToken } = await sessions.end(caller.credentialId)
      response.clearCookie(sessionCookie(port()), cookieOptions)
      if (response.closed) closeAll()
      else response.once("close", closeAll) // this response is one of the session's connections
      const leave = idToken === null ? null : await leaveProvider(idToken)
      return { success: true, ...(leave === null ? {} : { leave }) }
    },

    download({ caller, body }) {
      if (caller.via !== "session") throw new AppError("forbidden", sentence("accounts.ticket_for_session"))
      return { path: tickets.issue(caller.credentialId, body.path) }
    },
  }
}

/** Returns a user and the workspaces they belong to. */
export async function describeCaller(people: People, userId: string) {
  const user = await people.user(userId)
  if (!user) throw new AppError("unauthorized", sentence("accounts.user_gone"))
  return { user, workspaces: await people.memberships(user.id) }
}

export interface PeopleRoutesDeps {
  people: People
  sessions: Sessions
  /** Closes connections that were opened with a revoked credential. */
  onRevoked: (credentialId: string) => void
  /** Ends the running work of a disabled user. */
  onDisabled: (userId: string) => void
  /** Returns the addresses at which the page can be opened. */
  addresses: () => { local: string; network: string[] }
  /** Whether a provider may identify users by their address. If so, only owners can change addresses. */
  addressesCount: boolean
}

/** All users see who shares the box and can change their own name. Everything else is for owners only. */
export function peopleHandlers(deps: PeopleRoutesDeps): Handlers<typeof api.people> {
  const { people, sessions, onRevoked, onDisabled, addresses, addressesCount } = deps

  async function signInLinks(userId: string) {
    const { token, expiresAt } = await sessions.createSignIn(userId)
    const link = (address: string) => `${address}/#/signin?token=${token}`
    const { local, network } = addresses()
    return { local: link(local), network: network.map(link), expiresAt }
  }

  const hasAddress = async (id: string, email: string) => (await people.findByEmail(email))?.id === id

  return {
    list: async () => ({ people: await people.listPeople() }),

    async add({ body }) {
      const { id } = await people.add(body.email, body.name, body.role)
      return { person: await people.person(id), links: await signInLinks(id) }
    },

    async update({ caller, params: { id }, body }) {
      const isNewAddress = addressesCount && body.email !== undefined && !(await hasAddress(id, body.email))
      if (isNewAddress || caller.userId !== id || body.role !== undefined || body.disabled !== undefined) {
        requireOwner(caller)
      }
      if (caller.userId === id && body.disabled === true)
        throw new AppError("conflict", sentence("accounts.not_yourself"))
      const { endedCredentials } = await people.change(id, body)
      endedCredentials.forEach(onRevoked)
      if (body.disabled === true) onDisabled(id)
      return { person: await people.person(id) }
    },

    async signInLinks({ params: { id } }) {
      if ((await people.person(id)).disabledAt !== null)
        throw new AppError("conflict", sentence("accounts.person_disabled"))
      return { links: await signInLinks(id) }
    },
  }
}

export function keyHandlers(keys: Keys, calls: Pick<KeyCalls, "list">): Handlers<typeof api.keys> {
  return {
    list: async ({ caller }) => ({ keys: await keys.list(caller.userId) }),
    create: ({ caller, body }) => keys.create(caller.userId, body),
    async calls({ caller, params }) {
      await keys.require(caller.userId, params.id)
      return { calls: await calls.list(params.id) }
    },
    async revoke({ caller, params }) {
      await keys.revoke(caller.userId, params.id)
      return { success: true, id: params.id }
    },
  }
}

/**
 * @param provider null if no provider is configured
 */
export function providerSignInHandlers(
  provider: {
    name: string
    /** Loaded at the first sign-in. */
    signIn(): Promise<ProviderSignIn>
  } | null,
): Handlers<typeof api.providerSignIn> {
  function signIn(): Promise<ProviderSignIn> {
    if (provider) return provider.signIn()
    throw new AppError("not_found", sentence("accounts.no_provider"))
  }

  return {
    ways: () => ({ provider: provider && { name: provider.name } }),
    begin: async ({ request, response, query }) =>
      (await signIn()).begin(request, response, query.moved !== undefined),
    callback: async ({ request, response }) => (await signIn()).handleCallback(request, response),
  }
}

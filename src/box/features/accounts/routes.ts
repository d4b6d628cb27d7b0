import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sessionCookie } from "../../http/authenticate.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Keys } from "./keys.ts"
import type { People } from "./people.ts"
import type { Sessions } from "./sessions.ts"

export interface AccountRoutesDeps {
  people: People
  sessions: Sessions
  version: string
  /** Port the box listens on; it is part of the cookie's name. */
  port: () => number
}

export function accountHandlers({
  people,
  sessions,
  version,
  port,
}: AccountRoutesDeps): Handlers<typeof api.account> {
  const cookieOptions = { httpOnly: true, sameSite: "strict", path: "/" } as const
  return {
    health: () => ({ status: "ok", version }),

    async me({ caller }) {
      const user = await people.user(caller.userId)
      if (!user) throw new AppError("unauthorized", "This user doesn't exist any more.")
      return { user, workspaces: await people.memberships(user.id) }
    },

    async signIn({ body, response }) {
      const session = await sessions.exchange(body.token)
      const user = session && (await people.user(session.userId))
      if (!session || !user) {
        throw new AppError("unauthorized", "This sign-in link was used already or is older than 5 minutes.")
      }
      response.cookie(sessionCookie(port()), session.token, { ...cookieOptions, maxAge: session.maxAgeMs })
      return { user }
    },

    async signOut({ caller, response }) {
      if (caller.via === "session") {
        response.clearCookie(sessionCookie(port()), cookieOptions)
        response.once("finish", () => void sessions.end(caller.credentialId))
      }
      return { success: true }
    },
  }
}

export function keyHandlers(keys: Keys): Handlers<typeof api.keys> {
  return {
    list: async ({ caller }) => ({ keys: await keys.list(caller.userId) }),
    create: ({ caller, body }) => keys.create(caller.userId, body),
    async revoke({ caller, params }) {
      await keys.revoke(caller.userId, params.id)
      return { success: true, id: params.id }
    },
  }
}

import type { RequestHandler } from "express"
import { cloudAccount } from "../shared/contract/cloud-account.ts"
import { tickets } from "../shared/contract/tickets.ts"
import { createRoutes } from "../serve/routes.ts"
import { serve } from "../serve/serve.ts"
import type { OpenDatabase } from "./core/database.ts"
import type { Logger } from "./core/logger.ts"
import { signingKeyGrace } from "./core/account-options.ts"
import { timestamp } from "./core/ids.ts"
import { createLibrary, createMembers, type Member } from "./features/accounts/members.ts"
import { accountHandlers, createSessionSecrets, createSignIn } from "./features/accounts/sign-in.ts"
import { createKeys, type ActiveKey, keyHandlers } from "./features/keys/keys.ts"
import { createLimits, createWindows } from "./features/limits/limits.ts"
import { createTicketCreation, createQueue, ticketHandlers } from "./features/tickets/tickets.ts"
import { createAdmit, createAuthenticate, type Caller } from "./http/authenticate.ts"
import { createReadJson } from "./http/read-json.ts"
import { createServing } from "./http/http-server.ts"

export interface ComposeOptions {
  database: OpenDatabase
  secret: string
  publicUrl: string | null
  logger: Logger
}

const dayMs = 24 * 3600 * 1000

/** Creates and connects all features. Only this file knows every part. */
export async function compose({ database, secret, publicUrl, logger }: ComposeOptions) {
  const { db } = database
  const members = createMembers(db)
  const isBlocked = async (userId: string) => (await members.findById(userId))?.blocked !== false
  const library = createLibrary({ database, secret, publicUrl, isBlocked, logger })
  await library.$context // compares the tables with those it needs
  const windows = createWindows(db)
  const limits = createLimits(windows)
  const throttle = { admit: limits.admitSignIn, forgive: limits.forgiveSignIn }
  const signIn = createSignIn(library, members, throttle, createSessionSecrets(secret))
  const keys = createKeys(db)

  return {
    members,
    library,
    keys,

    routes(): RequestHandler[] {
      const authenticate = createAuthenticate({
        verifyJwt: signIn.verifyJwt,
        callerOfUser: async (id) => getCaller(await members.findById(id), null),
        async callerOfKey(secret) {
          const key = await keys.find(secret)
          return key === null ? null : getCaller(await members.findById(key.userId), key)
        },
      })
      const admit = createAdmit(authenticate, limits.countRequest)
      const createTicket = createTicketCreation({
        db,
        chargeTicket: limits.chargeTicket,
        requireAvailable: members.requireAvailable,
        useKey: keys.use,
      })
      const routes = createRoutes()
      const serving = createServing(admit, createReadJson(), logger)
      serve(routes, cloudAccount, { ...accountHandlers(signIn), ...keyHandlers(keys) }, serving)
      serve(routes, tickets, ticketHandlers(createTicket, createQueue(db)), serving)
      return [routes.handle]
    },

    /** Removes expired data. */
    async sweep() {
      const yesterday = Date.now() - dayMs
      await windows.sweep(yesterday)
      await db.deleteFrom("dailyTickets").where("day", "<", timestamp(yesterday).slice(0, 10)).execute()
      await db.deleteFrom("session").where("expiresAt", "<", timestamp()).execute()
      // Better Auth no longer publishes such a key, but would still trust its signatures.
      const retired = timestamp(Date.now() - signingKeyGrace * 1000)
      await db.deleteFrom("jwks").where("expiresAt", "<", retired).execute()
    },
  }
}

function getCaller(member: Member | null, key: ActiveKey | null): Caller | null {
  if (member === null || member.blocked) return null
  const { id, email, name, staff, requestsPerMinute } = member
  return { userId: id, email, name, staff, requestsPerMinute, key }
}

import { betterAuth } from "better-auth"
import { APIError } from "better-auth/api"
import { accountOptions } from "../../core/account-options.ts"
import type { OpenDatabase } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"

export interface LibraryOptions {
  database: OpenDatabase
  /** Signs session cookies and encrypts the private keys of the JWTs. */
  secret: string
  /** URL that users open; cookies are `Secure` if it is https. */
  publicUrl: string | null
  /** Whether this user may not sign in. */
  isBlocked(userId: string): Promise<boolean>
  logger: Logger
}

/**
 * Better Auth provides accounts, sessions and JWTs. Its functions are called directly and its router isn't mounted, so its endpoints are
 * reachable only through routes of this service.
 */
export function createLibrary({ database, secret, publicUrl, isBlocked, logger }: LibraryOptions) {
  return betterAuth({
    ...accountOptions,
    database: { db: database.db, type: database.type },
    secret,
    baseURL: publicUrl ?? "http://localhost",
    logger: {
      level: "error",
      log: (level, message) => logger[level === "error" ? "error" : "info"]({ part: "better-auth" }, message),
    },
    databaseHooks: {
      session: {
        create: {
          async before({ userId }) {
            if (await isBlocked(userId)) throw new APIError("UNAUTHORIZED")
          },
        },
      },
    },
  })
}

export type Library = ReturnType<typeof createLibrary>

/** Whether Better Auth refused the request (wrong password, unknown or blocked user) instead of failing. */
export const isRefusal = (error: unknown): boolean => error instanceof APIError && error.statusCode < 500

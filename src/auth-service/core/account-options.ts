import type { BetterAuthOptions } from "better-auth"
import { jwt } from "better-auth/plugins/jwt"
import { newId } from "./ids.ts"

const hour = 3600
const day = 24 * hour
/** How long a signing key verifies after it has signed its last JWT, in seconds: longer than any JWT lives. */
export const signingKeyGrace = day
/** Who issues the service's JWTs and whom they are for. */
const issuer = "casella-auth"

/**
 * What Better Auth is asked to do; its tables follow from this. Passwords are hashed with scrypt, its default.
 * Signing keys change every 30 days; an old one verifies for another day, longer than any JWT lives.
 */
export const accountOptions = {
  emailAndPassword: { enabled: true, autoSignIn: false, minPasswordLength: 8, maxPasswordLength: 1024 },
  session: { expiresIn: 7 * day },
  telemetry: { enabled: false },
  advanced: {
    cookiePrefix: "casella",
    defaultCookieAttributes: { sameSite: "strict" },
    ipAddress: { disableIpTracking: true },
    database: { generateId: newId },
  },
  plugins: [
    jwt({
      disableSettingJwtHeader: true,
      jwks: { rotationInterval: 30 * day, gracePeriod: signingKeyGrace },
      jwt: { issuer, audience: issuer, expirationTime: "1h" },
    }),
  ],
} satisfies BetterAuthOptions

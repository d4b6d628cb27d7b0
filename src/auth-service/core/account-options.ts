import type { BetterAuthOptions } from "better-auth"
import { jwt } from "better-auth/plugins/jwt"
import { newId } from "./ids.ts"

const hour = 3600
const day = 24 * hour
/** How long a signing key still verifies after it signed its last JWT, in seconds. It must exceed the lifetime of any JWT. */
export const signingKeyGrace = day
/** Issuer and audience of the service's JWTs. */
const issuer = "casella-auth"

/**
 * Options for Better Auth, which also determine its tables. Passwords are hashed with scrypt, its default. Signing keys change every 30
 * days; an old one verifies for another day, which is longer than any JWT lives.
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

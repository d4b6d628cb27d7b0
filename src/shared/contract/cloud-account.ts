import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, record, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** The permissions of a limited cloud key, such as `{"tickets":["create"]}`. */
export const KeyPermissions = record(z.array(z.string().min(1).max(60)).max(20), z.string().min(1).max(60))
  .refine((permissions) => Object.keys(permissions).length <= 20, wrong("at_most_resources", { count: 20 }))
  .meta({
    id: "KeyPermissions",
    description: 'Permissions of a limited cloud key by resource, such as `{"tickets":["create"]}`.',
  })
export type KeyPermissions = z.infer<typeof KeyPermissions>

export const CloudKeyDraft = z
  .strictObject({
    name: atMost(100, z.string().trim().min(1)).describe(
      "Name to recognise the key by, up to 100 characters.",
    ),
    /** Seconds, from one minute to 365 days. */
    expiresIn: z
      .int()
      .min(60)
      .max(365 * 24 * 3600)
      .describe("Seconds until the key expires, from 60 to 31,536,000 (one year)."),
    /** Null: full access. */
    permissions: KeyPermissions.nullable()
      .default(null)
      .describe("Permissions of the key. null (the default) gives it full access."),
  })
  .meta({ id: "CloudKeyDraft", description: "A new cloud key." })
export type CloudKeyDraft = z.output<typeof CloudKeyDraft>

/** A new cloud key; `key` is never shown again. */
export const CreatedCloudKey = z
  .object({
    key: z.string().describe("The cloud key. Store it: it is shown only once."),
    id: z.string().describe("Identifier of the key."),
    name: z.string().describe("Name of the key."),
    expiresAt: Timestamp.describe("When the key expires."),
  })
  .meta({ id: "CreatedCloudKey", description: "A new cloud key. `key` is never shown again." })
export type CreatedCloudKey = z.infer<typeof CreatedCloudKey>

const CloudUser = z.object({
  id: z.string().describe("Identifier of the user."),
  email: z.string().describe("Email address of the user."),
  name: z.string().describe("Name of the user."),
  staff: z.boolean().describe("true if the user works in support and may read the queue."),
})

const SignedIn = z.object({
  jwt: z.string().describe("Token to send as `Authorization: Bearer`. It expires after a few minutes."),
  user: CloudUser.describe("The user who is signed in."),
  secret: z
    .string()
    .describe("Secret that the support page sends as `x-session-secret` together with its cookie."),
})

/** Endpoints of the auth service for accounts and cloud keys. */
export const cloudAccount = {
  signIn: json({
    method: "post",
    path: "/api/auth/sign-in/email",
    summary: "Sign in with a password",
    description: "Returns a JWT. A cookie keeps the session of the support page.",
    errors: ["UNAUTHORIZED", "RATE_LIMITED"],
    access: "public",
    // Enough for the longest email address and password, escaped. An unauthenticated body uses little memory.
    maxBodyBytes: 16 * 1024,
    body: z.object({
      email: z.string().min(1).max(320).describe("Email address of the account."),
      password: z.string().min(1).max(1024).describe("Password of the account."),
    }),
    output: SignedIn,
  }),
  token: json({
    method: "post",
    path: "/api/auth/token",
    summary: "Renew a JWT",
    description:
      "Returns a new JWT for a session of the support page. It needs the cookie of the session and its secret.",
    errors: ["UNAUTHORIZED"],
    access: "public",
    output: SignedIn,
  }),
  signOut: json({
    method: "post",
    path: "/api/auth/sign-out",
    summary: "Sign out",
    description: "Ends the session of the support page.",
    access: "public",
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
  keySet: json({
    method: "get",
    path: "/api/auth/jwks",
    summary: "Get the public keys",
    description: "Returns the public keys with which JWTs are verified, as a JSON Web Key Set (RFC 7517).",
    access: "public",
    output: z.object({
      keys: z.array(z.record(z.string(), z.unknown())).describe("Public keys in JWK format."),
    }),
  }),
  createKey: json({
    method: "post",
    path: "/api/auth/api-key",
    summary: "Create a cloud key",
    description: "The key acts for the user of the JWT. It is shown only once. API keys can't create keys.",
    errors: ["CONFLICT"],
    demand: { jwtOnly: true },
    body: CloudKeyDraft,
    output: CreatedCloudKey,
  }),
  endKey: json({
    method: "delete",
    path: "/api/auth/api-key",
    summary: "Revoke the cloud key of the request",
    description: "The key that authenticates the request stops working at once.",
    errors: ["RETRY_REQUEST"],
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
} as const

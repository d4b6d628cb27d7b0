import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, record, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** The permissions of a limited cloud key, such as `{"tickets":["create"]}`. */
export const KeyPermissions = record(z.array(z.string().min(1).max(60)).max(20), z.string().min(1).max(60))
  .refine((permissions) => Object.keys(permissions).length <= 20, wrong("at_most_resources", { count: 20 }))
  .meta({ id: "KeyPermissions" })
export type KeyPermissions = z.infer<typeof KeyPermissions>

export const CloudKeyDraft = z
  .strictObject({
    name: atMost(100, z.string().trim().min(1)),
    /** Seconds, from one minute to 365 days. */
    expiresIn: z
      .int()
      .min(60)
      .max(365 * 24 * 3600),
    /** Null: full access. */
    permissions: KeyPermissions.nullable().default(null),
  })
  .meta({ id: "CloudKeyDraft" })
export type CloudKeyDraft = z.output<typeof CloudKeyDraft>

/** A new cloud key; `key` is never shown again. */
export const CreatedCloudKey = z
  .object({ key: z.string(), id: z.string(), name: z.string(), expiresAt: Timestamp })
  .meta({ id: "CreatedCloudKey" })
export type CreatedCloudKey = z.infer<typeof CreatedCloudKey>

const CloudUser = z.object({ id: z.string(), email: z.string(), name: z.string(), staff: z.boolean() })

const SignedIn = z.object({
  jwt: z.string(),
  user: CloudUser,
  secret: z.string().meta({ description: "The support page sends it as `x-session-secret` with its cookie" }),
})

/** Endpoints of the auth service for accounts and cloud keys. */
export const cloudAccount = {
  signIn: json({
    method: "post",
    path: "/api/auth/sign-in/email",
    summary: "Sign in; the answer has the user's JWT, a cookie keeps the session of the support page",
    access: "public",
    // Enough for the longest email address and password, escaped. An unauthenticated body uses little memory.
    maxBodyBytes: 16 * 1024,
    body: z.object({ email: z.string().min(1).max(320), password: z.string().min(1).max(1024) }),
    output: SignedIn,
  }),
  token: json({
    method: "post",
    path: "/api/auth/token",
    summary: "A fresh JWT for the session of the support page: its cookie together with its secret",
    access: "public",
    output: SignedIn,
  }),
  signOut: json({
    method: "post",
    path: "/api/auth/sign-out",
    summary: "End the session of the support page",
    access: "public",
    output: z.object({ success: z.literal(true) }),
  }),
  keySet: json({
    method: "get",
    path: "/api/auth/jwks",
    summary: "Public keys of the JWTs (RFC 7517)",
    access: "public",
    output: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  }),
  createKey: json({
    method: "post",
    path: "/api/auth/api-key",
    summary: "Create a cloud key (JWT only)",
    demand: { jwtOnly: true },
    body: CloudKeyDraft,
    output: CreatedCloudKey,
  }),
  endKey: json({
    method: "delete",
    path: "/api/auth/api-key",
    summary: "End the cloud key that the request carries",
    output: z.object({ success: z.literal(true) }),
  }),
} as const

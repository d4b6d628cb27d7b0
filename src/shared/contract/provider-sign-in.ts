import { z } from "zod"
import { bytes, json } from "./endpoint.ts"

/** Why a sign-in at the provider failed. The page has a message for each. */
export const ProviderProblem = z.enum([
  "unreachable",
  "local_only",
  "not_begun",
  "refused",
  "no_email",
  "email_taken",
  "not_in_group",
  "disabled",
  "held",
  "full",
])
export type ProviderProblem = z.infer<typeof ProviderProblem>

const base = "/api/public/sign-in" as const

/** Sign-in by OpenID Connect for browsers. It ends with a one-time token, like a sign-in link. */
export const providerSignIn = {
  ways: json({
    method: "get",
    path: base,
    summary: "Who signs people in besides one-time links",
    access: "public",
    output: z.object({
      provider: z
        .object({ name: z.string().meta({ description: "The provider's host" }) })
        .nullable()
        .meta({ description: "null where none is configured" }),
    }),
  }),
  begin: bytes({
    method: "get",
    path: `${base}/provider`,
    summary:
      "Send this browser to the provider; 303, also where that fails: then to the page, which says why",
    access: "public",
    query: z.object({
      moved: z.string().max(1).optional().meta({ description: "This is the public address already" }),
    }),
    mediaType: "text/plain",
  }),
  callback: bytes({
    method: "get",
    path: `${base}/provider/callback`,
    summary:
      "Where the provider sends the browser back; 303 to the page, with a one-time token or why there is none",
    access: "public",
    mediaType: "text/plain",
  }),
} as const

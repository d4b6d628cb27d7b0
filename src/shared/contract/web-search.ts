import { z } from "zod"
import { issue, wrong } from "./wrong.ts"

const provider = z.enum(["off", "duckduckgo", "brave", "searxng"])

/** The web search provider for assistants: DuckDuckGo without an account, Brave with a key, or a private SearXNG server. */
export const WebSearchSettings = z
  .object({
    provider,
    url: z
      .string()
      .nullable()
      .meta({ description: "Address of the SearXNG; it may be in one's own network" }),
    hasApiKey: z.boolean().meta({ description: "The key itself is never shown again" }),
  })
  .meta({ id: "WebSearchSettings" })
export type WebSearchSettings = z.infer<typeof WebSearchSettings>

/** The choice of a provider. If `apiKey` is omitted, the stored key is kept while the provider stays the same; null removes it. */
export const WebSearchChoice = z
  .object({
    provider,
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .refine((address) => !/[@?#]/.test(address), wrong("address_without_query"))
      .nullish(),
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, wrong("provider_key"))
      .nullish(),
  })
  .superRefine((choice, context) => {
    if (choice.provider === "searxng" && !choice.url) {
      context.addIssue({ path: ["url"], ...issue("needed_for_searxng") })
    }
  })
export type WebSearchChoice = z.infer<typeof WebSearchChoice>

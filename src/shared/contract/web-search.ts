import { z } from "zod"

const provider = z.enum(["off", "duckduckgo", "brave", "searxng"])

/** Who searches the web for assistants: DuckDuckGo without an account, Brave with a key, or a SearXNG of one's own. */
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

/** How the search is chosen. Without `apiKey` the stored one stays as long as the provider does; null removes it. */
export const WebSearchChoice = z
  .object({
    provider,
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .refine((address) => !/[@?#]/.test(address), "must be an address without a name, a password or a query")
      .nullish(),
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, "must be a key as the provider shows it")
      .nullish(),
  })
  .superRefine((choice, context) => {
    if (choice.provider === "searxng" && !choice.url) {
      context.addIssue({ code: "custom", path: ["url"], message: "is needed for SearXNG" })
    }
  })
export type WebSearchChoice = z.infer<typeof WebSearchChoice>

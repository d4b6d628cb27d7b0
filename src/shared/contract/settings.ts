import { z } from "zod"
import { toOrigin } from "../web-origin.ts"
import { json } from "./endpoint.ts"
import { MutedCategories } from "./notifications.ts"
import { Id } from "./primitives.ts"
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

const Origin = z
  .string()
  .max(255)
  .overwrite((address) => toOrigin(address) ?? address)
  .refine((address) => toOrigin(address) !== null, wrong("origin"))

/** Settings of the whole box. `textEvent` chooses the shape of text events. */
export const BoxSettings = z.object({
  textEvent: z.enum(["text-delta", "text"]),
  allowedHosts: z.array(z.string().min(1).max(255)).max(50),
  allowedOrigins: z.array(Origin).max(50).meta({
    description:
      "Origins of web pages that may call the API, such as `https://app.example`; compared exactly",
  }),
  allowedPrivateHosts: z
    .array(
      z
        .string()
        .trim()
        .toLowerCase()
        .max(255)
        .regex(/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/, wrong("host_with_port")),
    )
    .max(50)
    .meta({
      description:
        "Hosts with their ports, as `wiki.intern:8080`, whose web pages may be fetched although they aren't of the public internet",
    }),
  modelMirror: z
    .url({ protocol: /^https?$/ })
    .max(255)
    .refine((address) => !/[@?#]/.test(address), wrong("address_without_query"))
    .meta({ description: "Where models are downloaded: Hugging Face, or a mirror of it" }),
  webSearch: WebSearchSettings,
  localOnly: z.boolean().meta({
    description: "Nothing is sent to other computers: every connection but those to this one is refused",
  }),
  wholeLimit: z
    .object({
      characters: z.int().min(1_000).max(1_000_000_000),
      minutes: z.int().min(1).max(10_080),
    })
    .meta({ description: "What may be read whole for one answer: so many characters, and so long" }),
  localOnlyPrograms: z.boolean().meta({
    description:
      "Whether local tool programs may be started although `localOnly` is on; they could connect by themselves",
  }),
  networkAccess: z.boolean().meta({
    description: "Whether other computers reach the box at this one's addresses; takes effect at once",
  }),
})
export type BoxSettings = z.infer<typeof BoxSettings>

/** A folder, an assistant or a project that a user has pinned. */
const Pin = z.object({ kind: z.enum(["folder", "assistant", "project"]), id: Id }).meta({ id: "Pin" })
export type Pin = z.infer<typeof Pin>

/** Settings that each user chooses for themselves. */
export const PersonalSettings = z.object({
  mutedCategories: MutedCategories.meta({
    description: "Categories whose notifications are stored but neither shown nor counted",
  }),
  pins: z.array(Pin).max(100).meta({
    description:
      "Folders, assistants and projects at hand in the sidebar, in their order; of those that are gone nothing shows",
  }),
})
export type PersonalSettings = z.infer<typeof PersonalSettings>

/** The box's settings and the caller's own. */
export const Settings = z
  .object({
    ...BoxSettings.shape,
    ...PersonalSettings.shape,
    localOnlyDecidedBy: z.enum(["settings", "start"]).meta({
      description:
        "`start`: the box was started with --local-only, so it can't be switched off while it runs",
    }),
  })
  .meta({ id: "Settings" })
export type Settings = z.infer<typeof Settings>

/** Settings that can be changed. An API key can be set here but never read. */
export const SettingsPatch = z
  .object({ ...BoxSettings.shape, ...PersonalSettings.shape, webSearch: WebSearchChoice })
  .partial()
export type SettingsPatch = z.infer<typeof SettingsPatch>

/** Whether other computers can reach the box, and at which addresses. */
export const NetworkState = z
  .object({
    on: z.boolean(),
    decidedBy: z.enum(["settings", "start"]).meta({
      description: "`start`: the box was started to listen at another address, which holds for this run",
    }),
    addresses: z.array(z.string()).meta({
      description: "Where other computers open the page; while they are shut out, where they would",
    }),
    failed: z.array(z.string()).meta({ description: "Addresses at which another program listens" }),
  })
  .meta({ id: "NetworkState" })
export type NetworkState = z.infer<typeof NetworkState>

export const settings = {
  read: json({
    method: "get",
    path: "/api/public/settings",
    summary: "Settings of the box and of the caller",
    access: "full",
    output: z.object({ settings: Settings }),
  }),
  network: json({
    method: "get",
    path: "/api/public/settings/network",
    summary: "Whether other computers reach the box, and where",
    access: "owner",
    output: z.object({ network: NetworkState }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/settings",
    summary: "Change settings; fields left out are untouched",
    access: "full",
    body: SettingsPatch,
    output: z.object({ settings: Settings }),
  }),
} as const

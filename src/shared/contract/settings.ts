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
    provider: provider.describe(
      "Provider of web search: `duckduckgo` needs no account, `brave` needs a key, `searxng` needs the address of your own server.",
    ),
    url: z
      .string()
      .nullable()
      .describe(
        "Address of the SearXNG server, which may be in a private network; null for other providers.",
      ),
    hasApiKey: z.boolean().describe("true if a key is stored. It is never shown."),
  })
  .meta({ id: "WebSearchSettings", description: "Web search of assistants." })
export type WebSearchSettings = z.infer<typeof WebSearchSettings>

/** The choice of a provider. If `apiKey` is omitted, the stored key is kept while the provider stays the same; null removes it. */
export const WebSearchChoice = z
  .object({
    provider: provider.describe("Provider of web search."),
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .refine((address) => !/[@?#]/.test(address), wrong("address_without_query"))
      .nullish()
      .describe("Address of the SearXNG server. Required for `searxng`."),
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, wrong("provider_key"))
      .nullish()
      .describe(
        "API key of the provider. If it is omitted, the stored key is kept while the provider stays the same. null removes it.",
      ),
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
  textEvent: z
    .enum(["text-delta", "text"])
    .describe(
      "Type of the events with text in chat streams. `text-delta` has the text in `textDelta`, `text` in `text`.",
    ),
  allowedHosts: z
    .array(z.string().min(1).max(255))
    .max(50)
    .describe("Host names at which the server may be reached besides the loopback names, at most 50."),
  allowedOrigins: z
    .array(Origin)
    .max(50)
    .describe(
      "Origins of web pages that may call the API, such as `https://app.example`, at most 50. They are compared exactly.",
    ),
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
    .describe(
      "Hosts in private networks with their ports, such as `wiki.intern:8080`, whose web pages may be downloaded. At most 50.",
    ),
  modelMirror: z
    .url({ protocol: /^https?$/ })
    .max(255)
    .refine((address) => !/[@?#]/.test(address), wrong("address_without_query"))
    .describe("Address that models are downloaded from: Hugging Face or a mirror of it."),
  webSearch: WebSearchSettings.describe("Web search of assistants."),
  localOnly: z.boolean().describe("true blocks every connection to other computers."),
  wholeLimit: z
    .object({
      characters: z
        .int()
        .min(1_000)
        .max(1_000_000_000)
        .describe("Characters that may be read for one answer."),
      minutes: z.int().min(1).max(10_080).describe("Minutes that reading may take for one answer."),
    })
    .describe("Limit of reading whole documents for one answer."),
  localOnlyPrograms: z
    .boolean()
    .describe(
      "true allows local tool programs while `localOnly` is on. They could connect to other computers by themselves.",
    ),
  networkAccess: z
    .boolean()
    .describe("true lets other computers reach this server. It takes effect at once."),
})
export type BoxSettings = z.infer<typeof BoxSettings>

/** A folder, an assistant or a project that a user has pinned. */
const Pin = z
  .object({
    kind: z.enum(["folder", "assistant", "project"]).describe("What is pinned."),
    id: Id.describe("Identifier of what is pinned."),
  })
  .meta({ id: "Pin", description: "A folder, assistant or project that is pinned in the sidebar." })
export type Pin = z.infer<typeof Pin>

/** Settings that each user chooses for themselves. */
export const PersonalSettings = z.object({
  mutedCategories: MutedCategories.describe(
    "Categories whose notifications are stored but not shown or counted.",
  ),
  pins: z
    .array(Pin)
    .max(100)
    .describe(
      "What is pinned in the sidebar, in this order, at most 100. Entries that no longer exist aren't shown.",
    ),
})
export type PersonalSettings = z.infer<typeof PersonalSettings>

/** The box's settings and the caller's own. */
export const Settings = z
  .object({
    ...BoxSettings.shape,
    ...PersonalSettings.shape,
    localOnlyDecidedBy: z
      .enum(["settings", "start"])
      .describe(
        "`start` if the server was started with `--local-only`, which can't be switched off while it runs.",
      ),
  })
  .meta({ id: "Settings", description: "Settings of the server and of the caller." })
export type Settings = z.infer<typeof Settings>

/** Settings that can be changed. An API key can be set here but never read. */
export const SettingsPatch = z
  .object({
    ...BoxSettings.shape,
    ...PersonalSettings.shape,
    webSearch: WebSearchChoice.describe("Web search of assistants."),
  })
  .partial()
export type SettingsPatch = z.infer<typeof SettingsPatch>

/** Whether other computers can reach the box, and at which addresses. */
export const NetworkState = z
  .object({
    on: z.boolean().describe("true if they can."),
    decidedBy: z
      .enum(["settings", "start"])
      .describe("`start` if an option of the command line decided it, for as long as the server runs."),
    addresses: z
      .array(z.string())
      .describe("Addresses at which other computers open the app, or would if `on` were true."),
    failed: z.array(z.string()).describe("Addresses that another program already uses."),
  })
  .meta({ id: "NetworkState", description: "Whether other computers can reach the server." })
export type NetworkState = z.infer<typeof NetworkState>

export const settings = {
  read: json({
    method: "get",
    path: "/api/public/settings",
    summary: "Get settings",
    description: "Returns the settings of the server and of the caller.",
    access: "full",
    output: z.object({ settings: Settings.describe("The settings.") }),
  }),
  network: json({
    method: "get",
    path: "/api/public/settings/network",
    summary: "Get network access",
    description: "Returns whether other computers can reach the server, and at which addresses. Owners only.",
    access: "owner",
    output: z.object({ network: NetworkState }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/settings",
    summary: "Change settings",
    description:
      "Omitted settings keep their value. Only owners can change settings of the server; everyone can change `mutedCategories` and `pins`.",
    access: "full",
    body: SettingsPatch,
    output: z.object({ settings: Settings.describe("The settings afterwards.") }),
  }),
} as const

import { z } from "zod"
import { json } from "./endpoint.ts"
import { MutedCategories } from "./notification-categories.ts"
import { WebSearchChoice, WebSearchSettings } from "./web-search.ts"

/** What holds for the whole box. `textEvent` chooses the shape of text events (decisions.md 8). */
export const BoxSettings = z.object({
  textEvent: z.enum(["text-delta", "text"]),
  allowedHosts: z.array(z.string().min(1).max(255)).max(50),
  allowedOrigins: z.array(z.string().min(1).max(255)).max(50),
  modelMirror: z
    .url({ protocol: /^https?$/ })
    .max(255)
    .refine((address) => !/[@?#]/.test(address), "must be an address without a name, a password or a query")
    .meta({ description: "Where models are downloaded: Hugging Face, or a mirror of it" }),
  webSearch: WebSearchSettings,
})
export type BoxSettings = z.infer<typeof BoxSettings>

/** What each user chooses alone. */
export const PersonalSettings = z.object({
  mutedCategories: MutedCategories.meta({
    description: "Categories whose notifications are stored but neither shown nor counted",
  }),
})
export type PersonalSettings = z.infer<typeof PersonalSettings>

/** The box's settings together with the caller's own. */
export const Settings = z.object({ ...BoxSettings.shape, ...PersonalSettings.shape }).meta({ id: "Settings" })
export type Settings = z.infer<typeof Settings>

/** What may be changed; an API key can be given here and is never read again. */
export const SettingsPatch = z.object({ ...Settings.shape, webSearch: WebSearchChoice }).partial()
export type SettingsPatch = z.infer<typeof SettingsPatch>

export const settings = {
  read: json({
    method: "get",
    path: "/api/public/settings",
    summary: "Settings of the box and of the caller",
    access: "full",
    output: z.object({ settings: Settings }),
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

import { z } from "zod"
import { json } from "./endpoint.ts"

/** Settings of the box. `textEvent` chooses the shape of text events (decisions.md 8). */
export const Settings = z
  .object({
    textEvent: z.enum(["text-delta", "text"]),
    allowedHosts: z.array(z.string().min(1).max(255)).max(50),
    allowedOrigins: z.array(z.string().min(1).max(255)).max(50),
  })
  .meta({ id: "Settings" })
export type Settings = z.infer<typeof Settings>

export const settings = {
  read: json({
    method: "get",
    path: "/api/public/settings",
    summary: "Settings of the box",
    access: "full",
    output: z.object({ settings: Settings }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/settings",
    summary: "Change settings; fields left out are untouched",
    access: "full",
    body: Settings.partial(),
    output: z.object({ settings: Settings }),
  }),
} as const

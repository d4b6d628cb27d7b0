import { Box, Briefcase, Calendar, Contact, Mail, MessagesSquare, Mic, type LucideIcon } from "lucide-react"
import type { Category } from "../../../shared/contract/notifications.ts"
import { routes } from "./routes.ts"

/** The areas of the inbox. Each has its own page with the notifications of its category. */
export const areas = {
  calendar: { route: routes.calendar, category: "calendar", icon: Calendar },
  email: { route: routes.email, category: "email", icon: Mail },
  messages: { route: routes.messages, category: "messaging", icon: MessagesSquare },
  contacts: { route: routes.contacts, category: "contacts", icon: Contact },
  work: { route: routes.work, category: "scheduler", icon: Briefcase },
  recordings: { route: routes.recordings, category: "transcription", icon: Mic },
  workbox: { route: routes.workbox, category: "backgroundTasks", icon: Box },
} as const satisfies Record<string, { route: string; category: Category; icon: LucideIcon }>

/** Areas whose page is the inbox, filtered to their notifications. */
export const inboxAreaIds = [
  "calendar",
  "email",
  "messages",
  "contacts",
  "recordings",
] as const satisfies AreaId[]

export type AreaId = keyof typeof areas
export const areaIds = Object.keys(areas) as AreaId[]

/** The page that lists a category's notifications, if there is one. With `of` set to "inbox", only the inbox's areas are considered. */
export const getAreaRoute = (category: Category, of?: "inbox"): string | undefined =>
  (of === "inbox" ? inboxAreaIds : areaIds).map((id) => areas[id]).find((area) => area.category === category)
    ?.route

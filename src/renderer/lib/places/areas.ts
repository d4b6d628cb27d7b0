import { Box, Briefcase, Calendar, Contact, Mail, MessagesSquare, Mic, type LucideIcon } from "lucide-react"
import type { Category } from "../../../shared/contract/notification-categories.ts"
import { routes } from "./routes.ts"

/** The parts of the inbox: each has a screen of its own, which shows the notifications of its category. */
export const areas = {
  calendar: { route: routes.calendar, category: "calendar", icon: Calendar },
  email: { route: routes.email, category: "email", icon: Mail },
  messages: { route: routes.messages, category: "messaging", icon: MessagesSquare },
  contacts: { route: routes.contacts, category: "contacts", icon: Contact },
  work: { route: routes.work, category: "scheduler", icon: Briefcase },
  recordings: { route: routes.recordings, category: "transcription", icon: Mic },
  workbox: { route: routes.workbox, category: "backgroundTasks", icon: Box },
} as const satisfies Record<string, { route: string; category: Category; icon: LucideIcon }>

/** Those whose screen is the inbox with only their notifications. */
export const inboxAreaIds = [
  "calendar",
  "email",
  "messages",
  "contacts",
  "recordings",
] as const satisfies AreaId[]

export type AreaId = keyof typeof areas
export const areaIds = Object.keys(areas) as AreaId[]

/** The screen that lists a category's notifications, if one does; of those that are the inbox's, if only they are wanted. */
export const areaRouteOf = (category: Category, of?: "inbox"): string | undefined =>
  (of === "inbox" ? inboxAreaIds : areaIds).map((id) => areas[id]).find((area) => area.category === category)
    ?.route

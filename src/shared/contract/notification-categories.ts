import { z } from "zod"
import { issue } from "./wrong.ts"

/** The subject of a notification. It determines the default icon and label, and whether users may mute it. */
export const Category = z
  .enum([
    "system",
    "backgroundTasks",
    "chat",
    "calendar",
    "email",
    "messaging",
    "scheduler",
    "contacts",
    "transcription",
    "misconduct",
    "appUpdates",
  ])
  .meta({ id: "NotificationCategory" })
export type Category = z.infer<typeof Category>

export interface CategoryTraits {
  label: string
  /** Icon name, PascalCase. */
  icon: string
  /** Whether users may switch it off. */
  mutable: boolean
}

/** All categories. Add an entry here for a new one; the compiler then lists what else it needs. */
export const categories = {
  system: { label: "System", icon: "Bell", mutable: false },
  backgroundTasks: { label: "Background tasks", icon: "Cog", mutable: true },
  chat: { label: "Chat", icon: "MessageSquare", mutable: true },
  calendar: { label: "Calendar", icon: "Calendar", mutable: true },
  email: { label: "Email", icon: "Mail", mutable: true },
  messaging: { label: "Messaging", icon: "MessagesSquare", mutable: false },
  scheduler: { label: "Scheduled runs", icon: "CalendarClock", mutable: true },
  contacts: { label: "Contacts", icon: "Contact", mutable: true },
  transcription: { label: "Transcription", icon: "Mic", mutable: true },
  misconduct: { label: "Security and moderation", icon: "ShieldAlert", mutable: true },
  appUpdates: { label: "App updates", icon: "Download", mutable: true },
} as const satisfies Record<Category, CategoryTraits>

/** Categories that a user has switched off. One that can't be muted is refused with a 400 that names it. */
export const MutedCategories = z
  .array(Category)
  .max(Category.options.length)
  .superRefine((muted, context) => {
    const fixed = muted.filter((category) => !categories[category].mutable)
    if (fixed.length > 0) context.addIssue({ ...issue("not_muted", { names: fixed.join(", ") }) })
    if (new Set(muted).size < muted.length) context.addIssue({ ...issue("each_once") })
  })

import { z } from "zod"
import { BoxNews } from "./box-news.ts"
import { ChatId } from "./chat.ts"
import { bytes, json } from "./endpoint.ts"
import {
  atMost,
  HexColor,
  IconName,
  Id,
  jsonObject,
  pageQuery,
  Pagination,
  queryBoolean,
  Timestamp,
} from "./primitives.ts"
import { ToldQuestion } from "./questions.ts"
import { issue, wrong } from "./wrong.ts"

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
  .meta({
    id: "NotificationCategory",
    description:
      "Subject of a notification. It sets the default icon and label, and whether users can mute it.",
  })
export type Category = z.infer<typeof Category>

interface CategoryTraits {
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
  messaging: { label: "Messages", icon: "MessagesSquare", mutable: false },
  scheduler: { label: "Automations", icon: "CalendarClock", mutable: true },
  contacts: { label: "Contacts", icon: "Contact", mutable: true },
  transcription: { label: "Recordings", icon: "Mic", mutable: true },
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

/** Maximum size of `metadata` as JSON, in bytes of UTF-8. */
export const maxMetadataBytes = 8 * 1024

/**
 * A route in the app: `/` and anything after it. It excludes addresses that a browser reads as another host: `//host`, `/\host`, and either
 * of these with control characters in between, which browsers drop.
 */
export const DeepLink = atMost(
  2048,
  z.string().regex(/^\/(?!\/)[^\\\p{Cc}\u2028\u2029]*$/u, wrong("app_route")),
)

/** The sender of a notification. */
export const Sender = z
  .object({
    kind: z
      .enum(["system", "user", "assistant", "email"])
      .default("system")
      .describe(
        "How the sender is shown: `system` with an icon, `user` and `assistant` with an avatar, `email` with initials.",
      ),
    name: atMost(200).optional().describe("Display name, up to 200 characters."),
    imageUrl: z
      .url({ protocol: /^https?$/, ...wrong("absolute_address") })
      .max(2048)
      .optional()
      .describe("Absolute address of the avatar of a user or an assistant."),
    icon: IconName.optional().describe(
      "Name of the icon (PascalCase, from Lucide) used if there is no image.",
    ),
    color: HexColor.optional().describe("Colour behind the icon, as `#RRGGBB`."),
    email: z
      .email(wrong("email"))
      .max(320)
      .optional()
      .describe("Email address of the sender. Its initials are shown for `email`."),
  })
  .meta({ id: "NotificationSender", description: "The sender of a notification." })
export type Sender = z.infer<typeof Sender>

const notificationType = z.enum(["info", "success", "error"])

/** A notification in lists and live messages. */
export const Notification = z
  .object({
    id: Id.describe("Identifier of the notification."),
    title: z.string().describe("Title, up to 200 characters."),
    description: z.string().describe("Text, up to 2,000 characters."),
    preview: z.string().optional().describe("Short text for places with room for one line."),
    news: BoxNews.optional().describe(
      "Content for translation. Only for notifications from the server itself.",
    ),
    question: ToldQuestion.optional().describe(
      "Question with buttons. Only for notifications that ask something.",
    ),
    type: notificationType.describe("Colour and icon of the notification."),
    category: Category,
    deepLink: z.string().optional().describe("Route in the app that a click opens. `chatId` has priority."),
    chatId: z.string().nullable().describe("Chat that a click opens; null for none."),
    icon: z.string().describe("Name of the icon: the sender's or the category's."),
    sender: Sender,
    read: z.boolean().describe("true if the user has read the notification."),
    seen: z.boolean().describe("true if it was shown to the user."),
    muted: z.boolean().describe("true if the user had muted its category. It isn't shown or counted."),
    silent: z.boolean().describe("true if it was only stored and not sent to connected apps."),
    silentToast: z.boolean().describe("true if it was sent without a toast."),
    snoozedUntil: Timestamp.nullable().describe(
      "When a snoozed notification becomes unread again; null if it isn't snoozed.",
    ),
    createdAt: Timestamp.describe("When the notification was first sent."),
    notifiedAt: Timestamp.describe("When it last notified the user."),
  })
  .meta({ id: "Notification", description: "A notification in lists and WebSocket messages." })
export type Notification = z.infer<typeof Notification>

/** A notification with all its stored data. */
export const StoredNotification = z
  .object({
    ...Notification.shape,
    dedupeKey: z
      .string()
      .nullable()
      .describe("Key under which a later notification replaces this one; null for none."),
    metadata: jsonObject().nullable().describe("Data of the sender, returned unchanged; null for none."),
  })
  .meta({ id: "StoredNotification", description: "A notification with the data that its sender stored." })
export type StoredNotification = z.infer<typeof StoredNotification>

/** The place where connected apps show a live notification. */
export const Presentation = z
  .object({
    toast: z.boolean().describe("true to show a toast."),
    popup: z.boolean().describe("true to show a notification of the operating system."),
    badge: z.boolean().describe("true to count it in the badge."),
  })
  .meta({ id: "NotificationPresentation", description: "Where connected apps show a notification." })
export type Presentation = z.infer<typeof Presentation>

/** Length of a value as JSON; infinite if it is nested too deeply to be serialised. */
function jsonBytes(value: unknown): number {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const Metadata = jsonObject().refine(
  (value) => jsonBytes(value) <= maxMetadataBytes,
  wrong("json_too_long", { count: 8 }),
)

const Description = atMost(2000)

/** Scripts send null for missing values, so null is treated like an omitted field. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const orElse = <T extends z.ZodType>(schema: T, fallback: z.output<T>) =>
  schema.nullish().transform((value) => value ?? fallback)

const SenderDraft = z
  .object({
    kind: Sender.shape.kind.unwrap().nullish().describe("How the sender is shown, `system` by default."),
    name: Sender.shape.name.nullable().describe("Display name, up to 200 characters."),
    imageUrl: Sender.shape.imageUrl.nullable().describe("Absolute address of the avatar."),
    icon: Sender.shape.icon
      .nullable()
      .describe("Name of an icon (PascalCase, from Lucide) used if there is no image."),
    color: Sender.shape.color.nullable().describe("Colour behind the icon, as `#RRGGBB`."),
    email: Sender.shape.email
      .nullable()
      .describe("Email address of the sender. Its initials are shown for `email`."),
  })
  .transform((sender) => Object.fromEntries(Object.entries(sender).filter(([, value]) => value !== null)))
  .pipe(Sender)

/** A notification as posted by its sender. Null is treated as omitted. */
export const NotificationDraft = z
  .object({
    title: atMost(200, z.string().trim().min(1)).describe("Title, up to 200 characters."),
    description: optional(Description).describe("Text, up to 2,000 characters."),
    body: optional(Description).describe("Another name for `description`, which has priority."),
    type: orElse(notificationType, "info").describe("Colour and icon, `info` by default."),
    category: orElse(Category, "system").describe(
      "Subject, `system` by default. If the user has muted it, the notification is stored but not shown.",
    ),
    deepLink: optional(DeepLink).describe("Route in the app that a click opens. It begins with `/`."),
    icon: optional(IconName).describe("Name of the sender's icon. Short for `sender.icon`."),
    name: optional(atMost(200)).describe("Name of the sender. Short for `sender.name`."),
    sender: optional(SenderDraft).describe("Sender. If it is given, `icon` and `name` are ignored."),
    preview: optional(Description).describe("Short text for places with room for one line."),
    read: orElse(z.boolean(), false).describe("true stores the notification as read. Default false."),
    dedupeKey: optional(atMost(500, z.string().min(1))).describe(
      "If a notification with this key exists, it is replaced and marked unread again.",
    ),
    resurface: orElse(z.boolean(), true).describe(
      "false replaces a notification without marking it unread or notifying again. Default true.",
    ),
    silentToast: orElse(z.boolean(), false).describe(
      "true shows it without a toast: only in the bell and as a notification of the operating system. Default false.",
    ),
    silent: orElse(z.boolean(), false).describe("true shows it only in the bell. Default false."),
    chatId: optional(ChatId).describe("Chat that a click opens. It has priority over `deepLink`."),
    userId: optional(Id).describe(
      "Person to notify. Default: the caller. Someone else needs the header `x-organization-id`, and must belong to that workspace.",
    ),
    metadata: optional(Metadata).describe("Any JSON object, returned unchanged, up to 8 KB."),
  })
  .meta({ id: "NotificationDraft", description: "A notification to send. null is treated as omitted." })
export type NotificationDraft = z.infer<typeof NotificationDraft>

/** More than fits on a screen. */
const maxSeenTogether = 200

/** Sending requires the scope `notify`, reading `read-only`, and changing the feed full rights. */
export const notifications = {
  send: json({
    method: "post",
    path: "/api/public/notifications",
    summary: "Send a notification",
    description:
      "Stores a notification for a person and sends it to their connected apps. 202 means that it was sent but not stored.",
    errors: ["not_found"],
    scope: "notify",
    body: NotificationDraft,
    status: 201,
    otherStatus: 202,
    output: z.object({
      delivered: z.boolean().describe("true if a connected app received it."),
      persisted: z.boolean().describe("false, with status 202, if it was sent but not stored."),
      notification: StoredNotification.describe("The notification."),
    }),
  }),
  list: json({
    method: "get",
    path: "/api/public/notifications",
    summary: "List notifications",
    description: "Returns the caller's notifications, newest first.",
    scope: "read-only",
    query: z.object({
      ...pageQuery,
      unreadOnly: queryBoolean.describe("true returns only unread notifications."),
      category: Category.optional().describe("Return only notifications of this category."),
      muted: queryBoolean.describe("false leaves out notifications that were muted."),
    }),
    large: true,
    output: z.object({
      notifications: z.array(Notification).describe("Notifications of this page, newest first."),
      unreadCount: z.int().describe("Unread notifications in total."),
      pagination: Pagination,
    }),
  }),
  unreadCount: json({
    method: "get",
    path: "/api/public/notifications/unread-count",
    summary: "Count unread notifications",
    description: "Returns how many unread notifications the caller has, without muted ones.",
    scope: "read-only",
    output: z.object({ count: z.int().describe("Unread notifications.") }),
  }),
  markAllRead: json({
    method: "post",
    path: "/api/public/notifications/read-all",
    summary: "Mark all notifications as read",
    description: "Marks every notification of the caller as read.",
    access: "full",
    output: z.object({ updated: z.int().describe("Notifications that were marked.") }),
  }),
  patchAllRead: json({
    method: "patch",
    path: "/api/public/notifications/read-all",
    summary: "Mark all notifications as read (PATCH)",
    description: "The same as `POST`.",
    access: "full",
    output: z.object({ updated: z.int().describe("Notifications that were marked.") }),
  }),
  markSeen: json({
    method: "post",
    path: "/api/public/notifications/seen",
    summary: "Mark notifications as seen",
    description: "They stay unread. Ids that don't belong to the caller are ignored.",
    access: "full",
    body: z.object({ ids: z.array(Id).min(1).max(maxSeenTogether).describe("Notifications to mark.") }),
    output: z.object({ updated: z.int().describe("Notifications that were marked.") }),
  }),
  counts: json({
    method: "get",
    path: "/api/public/notifications/counts",
    summary: "Count notifications by category",
    description: "Returns counts for the categories that have notifications, without muted ones.",
    scope: "read-only",
    output: z.object({
      categories: z
        .array(
          z.object({
            category: Category,
            count: z.int().describe("Notifications of the category."),
            unread: z.int().describe("Unread notifications of the category."),
          }),
        )
        .describe("Counts by category."),
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/notifications/:id",
    summary: "Get a notification",
    description: "Returns one of the caller's notifications with its metadata.",
    scope: "read-only",
    output: StoredNotification,
  }),
  avatar: bytes({
    method: "get",
    path: "/api/public/notifications/:id/avatar",
    mediaType: "image/*",
    summary: "Get the avatar of a notification",
    description:
      "Returns the server's copy of the sender's image as PNG, JPEG, GIF or WebP. 404 if there is none.",
    scope: "read-only",
  }),
  update: json({
    method: "patch",
    path: "/api/public/notifications/:id",
    summary: "Change a notification",
    description:
      "Marks it as read, unread or seen, or snoozes it. A notification that is read is also seen. Changing `read` ends snoozing.",
    access: "full",
    body: z.object({
      read: z.boolean().optional().describe("true marks it as read and seen, false as unread."),
      seen: z.boolean().optional().describe("true marks it as seen; it stays unread."),
      snoozedUntil: z.iso
        .datetime({ offset: true, ...wrong("moment") })
        .optional()
        .describe("Until when to snooze it. null ends snoozing."),
    }),
    output: StoredNotification,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/notifications/:id",
    summary: "Delete a notification",
    description: "Deletes one of the caller's notifications permanently.",
    access: "full",
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
} as const

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
  .meta({ id: "NotificationCategory" })
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
    kind: z.enum(["system", "user", "assistant", "email"]).default("system"),
    name: atMost(200).optional().meta({ description: "Display name" }),
    imageUrl: z
      .url({ protocol: /^https?$/, ...wrong("absolute_address") })
      .max(2048)
      .optional()
      .meta({ description: "Avatar of a user or an assistant" }),
    icon: IconName.optional().meta({ description: "Used when there is no image" }),
    color: HexColor.optional().meta({ description: "Tint behind the glyph" }),
    email: z.email(wrong("email")).max(320).optional().meta({
      description: "The sender's address; gives the initials of an `email` sender",
    }),
  })
  .meta({ id: "NotificationSender" })
export type Sender = z.infer<typeof Sender>

const notificationType = z.enum(["info", "success", "error"])

/** A notification in lists and live messages. */
export const Notification = z
  .object({
    id: Id,
    title: z.string(),
    description: z.string(),
    preview: z
      .string()
      .optional()
      .meta({ description: "Second line; preferred over `description` where there is room for one line" }),
    news: BoxNews.optional().meta({ description: "Only of what the box itself tells" }),
    question: ToldQuestion.optional().meta({ description: "Only of what asks: its choices are buttons" }),
    type: notificationType,
    category: Category,
    deepLink: z.string().optional().meta({ description: "In-app route; `chatId` beats it" }),
    chatId: z.string().nullable(),
    icon: z.string().meta({ description: "The sender's icon, or the category's" }),
    sender: Sender,
    read: z.boolean(),
    seen: z.boolean(),
    muted: z.boolean().meta({ description: "The user had muted its category: not shown, not counted" }),
    silent: z.boolean(),
    silentToast: z.boolean(),
    snoozedUntil: Timestamp.nullable().meta({
      description: "Put off until then: read by now, and unread again then, as if it had just been sent",
    }),
    createdAt: Timestamp,
    notifiedAt: Timestamp.meta({
      description: "When it last notified; a send that was absorbed doesn't move it",
    }),
  })
  .meta({ id: "Notification" })
export type Notification = z.infer<typeof Notification>

/** A notification with all its stored data. */
export const StoredNotification = z
  .object({
    ...Notification.shape,
    dedupeKey: z.string().nullable(),
    metadata: jsonObject().nullable(),
  })
  .meta({ id: "StoredNotification" })
export type StoredNotification = z.infer<typeof StoredNotification>

/** The place where connected apps show a live notification. */
export const Presentation = z
  .object({ toast: z.boolean(), popup: z.boolean(), badge: z.boolean() })
  .meta({ id: "NotificationPresentation" })
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
    kind: Sender.shape.kind.unwrap().nullish(),
    name: Sender.shape.name.nullable(),
    imageUrl: Sender.shape.imageUrl.nullable(),
    icon: Sender.shape.icon.nullable(),
    color: Sender.shape.color.nullable(),
    email: Sender.shape.email.nullable(),
  })
  .transform((sender) => Object.fromEntries(Object.entries(sender).filter(([, value]) => value !== null)))
  .pipe(Sender)

/** A notification as posted by its sender. Null is treated as omitted. */
export const NotificationDraft = z
  .object({
    title: atMost(200, z.string().trim().min(1)),
    description: optional(Description),
    body: optional(Description.meta({ description: "Another name for `description`, which beats it" })),
    type: orElse(notificationType, "info"),
    category: orElse(Category, "system"),
    deepLink: optional(DeepLink),
    icon: optional(IconName),
    name: optional(atMost(200).meta({ description: "Who the notification is from" })),
    sender: optional(SenderDraft).meta({ description: "Wins whole over `icon` and `name`" }),
    preview: optional(Description),
    read: orElse(z.boolean(), false),
    dedupeKey: optional(
      atMost(500, z.string().min(1)).meta({
        description: "A second send of the same sender's with the same key refreshes the first one's row",
      }),
    ),
    resurface: orElse(
      z
        .boolean()
        .meta({ description: "With `dedupeKey`: false lets only the first send notify; true by default" }),
      true,
    ),
    silentToast: orElse(z.boolean().meta({ description: "OS popup and bell row, no toast" }), false),
    silent: orElse(z.boolean().meta({ description: "Bell row only" }), false),
    chatId: optional(ChatId.meta({ description: "Opens this conversation; beats `deepLink`" })),
    userId: optional(
      Id.meta({ description: "Another recipient of the workspace that the header x-organization-id names" }),
    ),
    metadata: optional(Metadata.meta({ description: "Echoed on read; 8 KB as JSON" })),
  })
  .meta({ id: "NotificationDraft" })
export type NotificationDraft = z.infer<typeof NotificationDraft>

/** More than fits on a screen. */
const maxSeenTogether = 200

/** Sending requires the scope `notify`, reading `read-only`, and changing the feed full rights. */
export const notifications = {
  send: json({
    method: "post",
    path: "/api/public/notifications",
    summary: "Tell a user something: stored first, then sent to their connected apps",
    scope: "notify",
    body: NotificationDraft,
    status: 201,
    otherStatus: 202,
    output: z.object({
      delivered: z.boolean().meta({ description: "A connected app of the user got it live" }),
      persisted: z.boolean().meta({ description: "false, with status 202: delivered but not stored" }),
      notification: StoredNotification,
    }),
  }),
  list: json({
    method: "get",
    path: "/api/public/notifications",
    summary: "The caller's notifications, newest first",
    scope: "read-only",
    query: z.object({
      ...pageQuery,
      unreadOnly: queryBoolean,
      category: Category.optional(),
      muted: queryBoolean.meta({ description: "false leaves out what the user had muted" }),
    }),
    large: true,
    output: z.object({
      notifications: z.array(Notification),
      unreadCount: z.int(),
      pagination: Pagination,
    }),
  }),
  unreadCount: json({
    method: "get",
    path: "/api/public/notifications/unread-count",
    summary: "How many unread notifications the caller has",
    scope: "read-only",
    output: z.object({ count: z.int() }),
  }),
  markAllRead: json({
    method: "post",
    path: "/api/public/notifications/read-all",
    summary: "Mark everything read",
    access: "full",
    output: z.object({ updated: z.int() }),
  }),
  patchAllRead: json({
    method: "patch",
    path: "/api/public/notifications/read-all",
    summary: "Mark everything read; same as POST",
    access: "full",
    output: z.object({ updated: z.int() }),
  }),
  markSeen: json({
    method: "post",
    path: "/api/public/notifications/seen",
    summary: "Mark several seen, which leaves them unread; ids that aren't the caller's are passed over",
    access: "full",
    body: z.object({ ids: z.array(Id).min(1).max(maxSeenTogether) }),
    output: z.object({ updated: z.int() }),
  }),
  counts: json({
    method: "get",
    path: "/api/public/notifications/counts",
    summary: "How many notifications the caller has of each category that has some, without muted ones",
    scope: "read-only",
    output: z.object({
      categories: z.array(z.object({ category: Category, count: z.int(), unread: z.int() })),
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/notifications/:id",
    summary: "One notification with its metadata",
    scope: "read-only",
    output: StoredNotification,
  }),
  avatar: bytes({
    method: "get",
    path: "/api/public/notifications/:id/avatar",
    mediaType: "image/*",
    summary:
      "The sender's picture (PNG, JPEG, GIF or WebP), which the box fetched and keeps; 404 without one",
    scope: "read-only",
  }),
  update: json({
    method: "patch",
    path: "/api/public/notifications/:id",
    summary:
      "Change the flags `read` and `seen`; what is read is seen too. Or put it off; changing `read` ends that",
    access: "full",
    body: z.object({
      read: z.boolean().optional(),
      seen: z.boolean().optional(),
      snoozedUntil: z.iso.datetime({ offset: true, ...wrong("moment") }).optional(),
    }),
    output: StoredNotification,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/notifications/:id",
    summary: "Delete a notification for good",
    access: "full",
    output: z.object({ success: z.literal(true) }),
  }),
} as const

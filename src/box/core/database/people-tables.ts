import type { Generated } from "kysely"
import type { AuditAction, AuditEntry, AuditOutcome } from "../../../shared/contract/audit-log.ts"
import type { DeletionKind } from "../../../shared/contract/deletions.ts"
import type { ServerState } from "../../../shared/contract/model-servers.ts"
import type { Category, Notification } from "../../../shared/contract/notifications.ts"
import type { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import type { OutboxState } from "../../../shared/contract/support.ts"
import type { TicketStatus, TicketType } from "../../../shared/contract/tickets.ts"

/** Tables of people, their settings and notifications, and of what the box connects to. `DatabaseSchema` says how values are stored. */
export interface PeopleTables {
  /** `disabledAt`: when the user was disabled; null if the user can sign in. */
  users: {
    id: string
    email: string
    name: string
    createdAt: string
    disabledAt: Generated<string | null>
  }
  workspaces: { id: string; name: string; createdAt: string }
  memberships: { workspaceId: string; userId: string; role: "owner" | "member" }
  /** The latest calls made with each key. */
  keyCalls: {
    number: Generated<number>
    keyId: string
    at: string
    method: string
    route: string
    status: number
    ms: number
    ip: string | null
  }
  apiKeys: {
    id: string
    userId: string
    name: string
    kind: "box" | "embedded"
    /** JSON array of scopes; null means full rights. */
    scopes: string | null
    hint: string
    hash: Buffer
    createdAt: string
    lastUsedAt: string | null
    /** 1: the key comes from a restored backup, and no owner has confirmed it. */
    held: Generated<number>
  }
  sessions: {
    id: string
    userId: string
    hash: Buffer
    secretHash: Buffer
    createdAt: string
    expiresAt: string
    /** ID token of the provider that signed the user in; null: a link did. */
    idToken: Generated<string | null>
  }
  signInTokens: { hash: Buffer; userId: string; expiresAt: string; idToken: Generated<string | null> }
  /** Users' identities at OpenID Connect providers. */
  providerAccounts: { issuer: string; subject: string; userId: string; createdAt: string }
  /** Settings of the box; each value is JSON. */
  settings: { key: string; value: string }
  /** Settings of a single user; each value is JSON. */
  userSettings: { userId: string; key: string; value: string }
  notifications: {
    id: string
    userId: string
    title: string
    description: string
    preview: string | null
    type: Notification["type"]
    category: Category
    deepLink: string | null
    chatId: string | null
    /** JSON of a `Sender`. */
    sender: string
    read: number
    seen: number
    muted: number
    silent: number
    silentToast: number
    /** The user who sent it; null for the box itself. */
    senderId: string | null
    /** Unique per recipient and sender. */
    dedupeKey: string | null
    metadata: string | null
    /** JSON of `BoxNews`; null for notifications from others. */
    news: string | null
    /** JSON of a `ToldQuestion`; null for notifications without a question. */
    question: string | null
    /** When it is shown again; null: it isn't snoozed. */
    snoozedUntil: string | null
    createdAt: string
    notifiedAt: string
  }
  /** Number of a user's notifications of each kind; maintained by triggers, read only. */
  notificationCounts: { userId: string; category: Category; read: number; muted: number; amount: number }
  /** Reports to support, waiting or sent. */
  supportTickets: {
    id: string
    ownerId: string
    state: OutboxState
    type: TicketType
    title: string
    description: string
    /** JSON of an `OutboxProblem`. */
    problem: string | null
    attempts: number
    /** Null: it isn't retried automatically. */
    nextAttemptAt: string | null
    /** ID at the auth service; set, like `status`, when the report is sent. */
    ticketId: string | null
    status: TicketStatus | null
    statusChangedAt: string | null
    createdAt: string
    sentAt: string | null
    /** JSON that the box adds to `context`. */
    context: string
    /** JSON of a `SupportDraft`, with megabytes of images; null when the report is sent. */
    draft: string | null
  }
  /** Connections that left this computer or were blocked. Entries outlive the users and items that they name. */
  egress: {
    /** UUIDv7: sorts by start time. */
    id: string
    startedAt: string
    durationMs: number | null
    purpose: EgressPurpose
    host: string
    outcome: EgressOutcome
    bytesSent: number | null
    bytesReceived: number | null
    userId: string | null
    chatId: string | null
    assistantId: string | null
    tool: string | null
  }
  /**
   * Actions and the users who performed them. Entries outlive the users and items that they name. Only an entry that is `begun` is updated,
   * with its end.
   */
  auditLog: {
    /** UUIDv7: sorts by start time. */
    id: string
    at: string
    actorId: string | null
    actorName: string | null
    actorEmail: string | null
    via: AuditEntry["via"]
    keyId: string | null
    keyName: string | null
    keyPrefix: string | null
    action: AuditAction
    subjectId: string | null
    subjectName: string | null
    details: string
    requestId: string | null
    outcome: AuditOutcome
  }
  /** Limits. For a person, -1 means no limit, and null means that the limit for everybody applies, whose `id` is empty. */
  quotas: {
    kind: "everybody" | "person" | "workspace"
    id: string
    files: number | null
    bytes: number | null
    answers: number | null
    tokens: number | null
  }
  /** A user's usage on a day (UTC). */
  dailyUse: { userId: string; day: string; answers: number; tokens: number }
  deletions: {
    number: Generated<number>
    ownerId: string
    kind: DeletionKind
    itemId: string
    /** JSON that the item's feature needs to restore it, or to delete it permanently. */
    kept: string
    /** Hash of the token that undoes it; null: it can't be undone any more. */
    tokenHash: Buffer | null
    until: string
  }
  /** Integrations and MCP servers that a user configured or connected. */
  toolServers: {
    ownerId: string
    key: string
    name: string
    /** JSON of a `ServerTarget`, or of null if the catalogue's target applies. */
    target: string
    linkedAt: string | null
    /** 1: its provider no longer accepts the sign-in. */
    signedOut: number
    /** JSON of the definitions that the user approved. */
    approved: string
    /** JSON of what the server offered at the last request. */
    offer: string
    /** JSON array of the tools that the user marked as read-only. */
    readTools: string
    createdAt: string
    /** JSON array of the tools that the user disabled. */
    offTools: string
    /** 1: it was connected in a restored backup, and no owner has turned it on since. */
    held: Generated<number>
  }
  /** Remote servers whose models the box uses. */
  modelServers: {
    id: string
    name: string
    url: string
    /** JSON array of model names that an owner entered, for a server that doesn't list its own. */
    givenModels: string
    /** JSON of the models that the server reported at the last request. */
    models: string
    state: ServerState
    /** JSON of the sentence that describes the problem. */
    problem: string | null
    createdAt: string
    /** 1: it came with a restored backup, and no owner has turned it on since; its models aren't offered. */
    held: Generated<number>
  }
}

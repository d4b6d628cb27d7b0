import { z } from "zod"
import { bytes, json } from "./endpoint.ts"
import { Id, pageQuery, Pagination, Timestamp } from "./primitives.ts"

/** The purposes for which the box, or the desktop app around it, connects to other computers. */
export const EgressPurpose = z.enum([
  "chat-model",
  "embedding-model",
  "model-download",
  "web-search",
  "web-page",
  "weather",
  "integration",
  "sign-in",
  "program",
  "sender-picture",
  "assistant-picture",
  "support",
  "update",
  "dictionary",
  "object-storage",
])
export type EgressPurpose = z.infer<typeof EgressPurpose>

/** `open`: in progress. `refused`: nothing was sent. `failed`: it was interrupted, and part of the data may have been sent. */
export const EgressOutcome = z.enum(["open", "ok", "refused", "failed"])
export type EgressOutcome = z.infer<typeof EgressOutcome>

const Named = z.object({ id: Id, name: z.string() })
const byteCount = z.int().min(0).nullable()

/** A connection that left this computer or was blocked: its destination and size, never its content. */
export const Egress = z
  .object({
    id: Id,
    startedAt: Timestamp,
    durationMs: z.int().nullable().meta({ description: "Null while it is open" }),
    purpose: EgressPurpose,
    host: z.string().meta({
      description:
        "Host, with the port where it isn't the usual one. For `program`: the program that was started",
    }),
    outcome: EgressOutcome,
    bytesSent: byteCount.meta({ description: "Null where Casella can't see it" }),
    bytesReceived: byteCount.meta({ description: "Null where Casella can't see it" }),
    user: Named.nullable().meta({ description: "Who caused it; null: the box by itself" }),
    chat: Named.nullable().meta({ description: "Null also where it is somebody else's, or deleted" }),
    assistant: Named.nullable().meta({ description: "Null also where it is somebody else's, or deleted" }),
    tool: z.string().nullable().meta({ description: "The function that a model called" }),
  })
  .meta({ id: "Egress" })
export type Egress = z.infer<typeof Egress>

/** Programs that read untrusted files or run code from a model, each in a separate process. */
export const ChildKind = z.enum(["parser", "tables", "calculator", "python", "engine"])
export type ChildKind = z.infer<typeof ChildKind>

/**
 * `realm`: its own code has no access to network, threads and programs. `permissions`: Node opens only the files it was given. `system`:
 * the operating system gives it no network at all, whatever runs in it.
 */
export const SandboxLayer = z.enum(["realm", "permissions", "system"])
export type SandboxLayer = z.infer<typeof SandboxLayer>

/** Why a sandbox layer isn't active. */
export const InactiveSandboxReason = z.enum([
  "desktop",
  "other-system",
  "no-program",
  "no-namespaces",
  "graphics-driver",
])
export type InactiveSandboxReason = z.infer<typeof InactiveSandboxReason>

export const ChildWalls = z
  .object({
    child: ChildKind,
    walls: z.array(
      z.object({
        wall: SandboxLayer,
        stands: z.boolean(),
        reason: InactiveSandboxReason.nullable().meta({ description: "Null where it stands" }),
      }),
    ),
  })
  .meta({ id: "ChildWalls" })
export type ChildWalls = z.infer<typeof ChildWalls>

const filters = {
  purpose: EgressPurpose.optional(),
  host: z.string().max(255).optional().meta({ description: "Part of the host, in any case" }),
}

/** Outgoing connections: the newest 50,000 of the last 90 days. Owners see everyone's, other users their own. */
export const privacy = {
  list: json({
    method: "get",
    path: "/api/public/egress",
    summary: "Connections to other machines, newest first; owners see everyone's",
    access: "full",
    query: z.object({ ...pageQuery, ...filters }),
    large: true,
    output: z.object({ egress: z.array(Egress), pagination: Pagination }),
  }),
  csv: bytes({
    method: "get",
    path: "/api/public/egress/csv",
    summary: "The same list as CSV",
    access: "full",
    query: z.object(filters),
    mediaType: "text/csv",
  }),
  clear: json({
    method: "delete",
    path: "/api/public/egress",
    summary: "Forget the list; owners only",
    access: "owner",
    output: z.object({ removed: z.int() }),
  }),
  walls: json({
    method: "get",
    path: "/api/public/privacy/walls",
    summary: "Which walls stand around the box's child processes; owners only",
    access: "owner",
    output: z.object({ children: z.array(ChildWalls) }),
  }),
} as const

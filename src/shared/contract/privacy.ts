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

const Named = z.object({ id: Id.describe("Its identifier."), name: z.string().describe("Its name.") })
const byteCount = z.int().min(0).nullable()

/** A connection that left this computer or was blocked: its destination and size, never its content. */
export const Egress = z
  .object({
    id: Id.describe("Identifier of the entry."),
    startedAt: Timestamp.describe("When the connection began."),
    durationMs: z.int().nullable().describe("Milliseconds that it took; null while it is open."),
    purpose: EgressPurpose.describe("What it was for."),
    host: z
      .string()
      .describe(
        "Host, with the port if it isn't the usual one. For `program`, the program that was started.",
      ),
    outcome: EgressOutcome.describe("Whether the connection was made."),
    bytesSent: byteCount.describe("Bytes sent; null if unknown."),
    bytesReceived: byteCount.describe("Bytes received; null if unknown."),
    user: Named.nullable().describe("Person who caused it; null if the server did by itself."),
    chat: Named.nullable().describe(
      "Chat that caused it; null for none, or if the chat was deleted or belongs to someone else.",
    ),
    assistant: Named.nullable().describe(
      "Assistant that caused it; null for none, or if it was deleted or belongs to someone else.",
    ),
    tool: z.string().nullable().describe("Tool that caused it; null for none."),
  })
  .meta({
    id: "Egress",
    description:
      "A connection to another computer, or an attempt that was blocked: destination and size, never content.",
  })
export type Egress = z.infer<typeof Egress>

/** Programs that read untrusted files or run code from a model, each in a separate process. */
export const ChildKind = z
  .enum(["parser", "tables", "calculator", "python", "engine"])
  .describe("Kind of child process.")
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
    walls: z
      .array(
        z.object({
          wall: SandboxLayer.describe("Layer of the sandbox."),
          stands: z.boolean().describe("true if the layer is active."),
          reason: InactiveSandboxReason.nullable().describe("Why the layer isn't active; null if it is."),
        }),
      )
      .describe("Layers of its sandbox."),
  })
  .meta({ id: "ChildWalls", description: "The sandbox of a kind of child process." })
export type ChildWalls = z.infer<typeof ChildWalls>

const filters = {
  purpose: EgressPurpose.optional().describe("Return only connections for this purpose."),
  host: z
    .string()
    .max(255)
    .optional()
    .describe("Return only connections to hosts that contain this text, in any case."),
}

/** Outgoing connections: the newest 50,000 of the last 90 days. Owners see everyone's, other users their own. */
export const privacy = {
  list: json({
    method: "get",
    path: "/api/public/egress",
    summary: "List connections",
    description: "Returns connections to other computers, newest first. Owners see everyone's.",
    access: "full",
    query: z.object({ ...pageQuery, ...filters }),
    large: true,
    output: z.object({
      egress: z.array(Egress).describe("Connections of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  csv: bytes({
    method: "get",
    path: "/api/public/egress/csv",
    summary: "Download connections as CSV",
    description: "Returns the same list as a CSV file.",
    access: "full",
    query: z.object(filters),
    mediaType: "text/csv",
  }),
  clear: json({
    method: "delete",
    path: "/api/public/egress",
    summary: "Clear the list of connections",
    description: "Deletes the list permanently. Owners only.",
    access: "owner",
    output: z.object({ removed: z.int().describe("Entries that were deleted.") }),
  }),
  walls: json({
    method: "get",
    path: "/api/public/privacy/walls",
    summary: "Get the sandboxes",
    description: "Returns which layers of the sandbox of each kind of child process are active. Owners only.",
    access: "owner",
    output: z.object({ children: z.array(ChildWalls).describe("Sandboxes by kind of child process.") }),
  }),
} as const

import { z } from "zod"
import { MessagePart } from "../../../../shared/contract/chat.ts"
import { Origin } from "../../../../shared/contract/conversations.ts"
import { Scope } from "../../../../shared/contract/endpoint.ts"
import { record } from "../../../../shared/contract/primitives.ts"
import { openCalls, type ToolCallPart } from "../transcript/message-parts.ts"

/** Resources that an answer has used so far. */
export const Spent = z.object({
  calls: z.number(),
  milliseconds: z.number(),
  /** Tokens of the context used by results. */
  tokens: z.number(),
})
export type Spent = z.infer<typeof Spent>

/** A delegated task that waits for its owner, with everything its assistant needs to resume it. */
export interface ParkedTask {
  assistantId: string
  /** Its answer so far. */
  parts: MessagePart[]
  spent: Spent
  /** Waiting tasks that it delegated, by tool call id. */
  tasks: Record<string, ParkedTask>
}

const ParkedTask: z.ZodType<ParkedTask> = z.object({
  assistantId: z.string(),
  parts: MessagePart.array(),
  spent: Spent,
  tasks: z.lazy(() => record(ParkedTask)),
})

/** Everything a parked turn needs to resume, in addition to its chat. Earlier versions stored less. */
export const ParkedTurn = z.object({
  assistantId: z.string().nullable(),
  /** Tools that are enabled without an assistant. */
  builtInTools: record(z.boolean()).default({}),
  projectInstructions: z.string().default(""),
  isProjectByScopedKey: z.boolean().default(false),
  vectorIds: z.array(z.string()),
  generated: z.union([z.literal("all"), z.array(z.string())]).default([]),
  modelId: z.string().nullable().default(null),
  boxAddress: z.string(),
  origin: Origin,
  spent: Spent,
  /** Scopes of the credential that asked; null: full rights. */
  scopes: z.array(Scope).nullable().default(null),
  /** Data sent out by the answer and its tasks. */
  sent: z
    .object({ addresses: z.array(z.string()), calls: z.number().default(0) })
    .default({ addresses: [], calls: 0 }),
  /** Waiting delegated tasks, by the tool call that delegated them. */
  tasks: record(ParkedTask).default({}),
})
export type ParkedTurn = z.infer<typeof ParkedTurn>

/** Returns calls without a result, of an answer and of its delegated tasks. */
export function openCallsOfAll(
  parts: readonly MessagePart[],
  tasks: Readonly<Record<string, ParkedTask>>,
): ToolCallPart[] {
  const delegated = Object.values(tasks).flatMap((task) => openCallsOfAll(task.parts, task.tasks))
  return [...openCalls(parts), ...delegated]
}

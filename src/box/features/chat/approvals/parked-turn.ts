import { z } from "zod"
import { MessagePart } from "../../../../shared/contract/chat.ts"
import { Origin } from "../../../../shared/contract/conversations.ts"
import { Scope } from "../../../../shared/contract/endpoint.ts"
import { record } from "../../../../shared/contract/primitives.ts"
import { openCalls, type ToolCallPart } from "../transcript/message-parts.ts"

/** What an answer has used up of its limits. */
export const Spent = z.object({
  calls: z.number(),
  milliseconds: z.number(),
  /** Of the context, by results. */
  tokens: z.number(),
})
export type Spent = z.infer<typeof Spent>

/** A delegated task that waits for its owner: all that its assistant needs to go on with it. */
export interface ParkedTask {
  assistantId: string
  /** Its answer so far. */
  parts: MessagePart[]
  spent: Spent
  /** Tasks that it gave to others and that wait, by its calls. */
  tasks: Record<string, ParkedTask>
}

const ParkedTask: z.ZodType<ParkedTask> = z.object({
  assistantId: z.string(),
  parts: MessagePart.array(),
  spent: Spent,
  tasks: z.lazy(() => record(ParkedTask)),
})

/** What a parked turn needs to go on, beside what its conversation holds. Earlier versions stored less. */
export const ParkedTurn = z.object({
  assistantId: z.string().nullable(),
  /** Tools that are switched on without one. */
  builtInTools: record(z.boolean()).default({}),
  projectInstructions: z.string().default(""),
  isProjectByScopedKey: z.boolean().default(false),
  vectorIds: z.array(z.string()),
  generated: z.union([z.literal("all"), z.array(z.string())]).default([]),
  modelId: z.string().nullable().default(null),
  boxAddress: z.string(),
  origin: Origin,
  spent: Spent,
  /** Of the credential that asked; null: full rights. */
  scopes: z.array(Scope).nullable().default(null),
  /** What the answer and its tasks have sent out. */
  sent: z
    .object({ addresses: z.array(z.string()), calls: z.number().default(0) })
    .default({ addresses: [], calls: 0 }),
  /** Delegated tasks that wait, by the calls that gave them. */
  tasks: record(ParkedTask).default({}),
})
export type ParkedTurn = z.infer<typeof ParkedTurn>

/** Calls without a result, of an answer and of the tasks that it delegated. */
export function openCallsOfAll(
  parts: readonly MessagePart[],
  tasks: Readonly<Record<string, ParkedTask>>,
): ToolCallPart[] {
  const delegated = Object.values(tasks).flatMap((task) => openCallsOfAll(task.parts, task.tasks))
  return [...openCalls(parts), ...delegated]
}

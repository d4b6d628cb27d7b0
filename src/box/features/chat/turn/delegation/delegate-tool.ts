import { z } from "zod"
import { AppError } from "../../../../../shared/contract/errors.ts"
import { isFolderTool } from "../../../../../shared/contract/tools.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import { delegationKey } from "../../../../tools/registry.ts"
import {
  defineTool,
  type ContextLabel,
  type Tool,
  type ToolContext,
  type ToolPart,
  type ToolResult,
} from "../../../../tools/tool.ts"
import { countOrigins, type TaskOrigins } from "../../../../tools/withheld.ts"
import type { WaitingCall } from "../../approvals/approval-store.ts"
import { type ParkedTask, TaskWaits } from "../../approvals/parked-turns.ts"
import { createAnswerRecord, type AnswerRecord } from "../../transcript/message-parts.ts"
import { nothingSpent, type AnswerEvent, type TurnProgress } from "../turn.ts"

/** An assistant that can be given a task. */
export interface Delegate {
  id: string
  handle: string
  /** Its purpose; empty for another user's assistant, whose text this assistant doesn't need to read. */
  description: string
  /** Whether it is the user's own and a key with scopes was the last to write it. */
  isByScopedKey: boolean
}

/** A task's progress, updated while it runs. */
export type TaskProgress = Pick<TurnProgress, "parts" | "labels" | "spent" | "tasks">

/** Creates the tool `assistant`, which gives a task to another assistant and returns its answer. Throws `TaskWaits`. */
export function createDelegateTool({
  delegates,
  tasks,
  runTask,
}: {
  delegates: readonly Delegate[]
  /** Waiting tasks by the call that started them. A task is removed when it resumes. */
  tasks: Map<string, ParkedTask>
  /** Runs or resumes the task with the assistant's own instructions, folders and tools. */
  runTask(
    delegate: Delegate,
    task: string,
    progress: TaskProgress,
    context: ToolContext,
  ): AsyncIterable<AnswerEvent>
}): Tool {
  const byHandle = new Map(delegates.map((delegate) => [delegate.handle, delegate]))
  const list = delegates.map(({ handle, description }) =>
    description === "" ? `@${handle}` : `@${handle}: ${description.slice(0, 200)}`,
  )

  /** Returns the progress of the task that this call started, and removes it from the waiting tasks. */
  function take(toolCallId: string, { id, handle }: Delegate): TaskProgress {
    const parked = tasks.get(toolCallId)
    tasks.delete(toolCallId)
    if (parked === undefined) return { parts: [], labels: [], spent: nothingSpent(), tasks: new Map() }
    if (parked.assistantId !== id)
      throw new AppError("conflict", sentence("chat.other_assistant", { handle }))
    const { parts, spent } = parked
    // The labels of what its model had read aren't stored, so they are unknown until it continues.
    return { parts, labels: null, spent, tasks: new Map(Object.entries(parked.tasks)) }
  }

  return defineTool({
    key: delegationKey,
    description:
      "Gives a task to another assistant, which has its own knowledge and tools, and returns its answer. It knows " +
      `nothing of this conversation, so say all it needs. The assistants: ${list.join("; ")}.`,
    effects: ["read"],
    // The answer may contain anything that the delegate read. If that isn't known, it may be anything.
    result: { trusted: false, private: true },
    args: z.object({
      handle: z.string().max(121).meta({ description: "Which assistant, such as researcher" }),
      task: z
        .string()
        .trim()
        .min(1)
        .max(20_000)
        .meta({ description: "All that the assistant needs to know" }),
    }),
    async run({ handle, task }, context) {
      const delegate = byHandle.get(handle.replace(/^@/, "").toLowerCase())
      if (delegate === undefined)
        throw new AppError(
          "validation",
          sentence("chat.no_assistant_among", { handle, all: list.join("; ") }),
        )
      const { toolCallId } = context
      const progress = take(toolCallId, delegate)
      const record = createAnswerRecord(progress.parts)
      let waiting: readonly WaitingCall[] = []
      const refused: string[] = []
      for await (const event of runTask(delegate, task, progress, context)) {
        if (event.type === "finish") waiting = event.waiting
        else record.add(event)
        if (event.type === "notice") refused.push(...(event.tools ?? []))
      }
      if (waiting.length === 0) return { ...toResult(record, progress.labels), refused }
      throw new TaskWaits(
        {
          assistantId: delegate.id,
          parts: record.parts(),
          spent: progress.spent,
          tasks: Object.fromEntries(progress.tasks),
        },
        waiting.map((call) => ({ ...call, delegation: delegationTo(delegate, toolCallId, call) })),
        refused,
      )
    },
  })
}

/** Names the last assistant in the delegation chain, and the call that the answer itself made. */
const delegationTo = ({ id, handle }: Delegate, toolCallId: string, { delegation }: WaitingCall) => ({
  assistantId: id,
  handle,
  ...delegation,
  toolCallId,
})

/** The delegate's citations number passages that only it has seen. */
const citation = /\s?\[\d{1,3}\]/g

const foreignText: ContextLabel = { trusted: false, private: false }
const documentText: ContextLabel = { trusted: false, private: true }

function toResult(record: AnswerRecord, labels: readonly ContextLabel[] | null): ToolResult {
  const parts = record.parts()
  const documents = new Set(parts.flatMap((part) => (part.type === "source" ? [part.fileName] : [])))
  const text = record.content()
  const answer = documents.size > 0 ? text.replace(citation, "") : text
  // File lists also contain file names.
  const hasRead =
    documents.size > 0 || parts.some((part) => part.type === "tool-call" && isFolderTool(part.toolName))
  const origins: TaskOrigins = {
    ...countOrigins(parts),
    ...(hasRead && { documents: [...documents] }),
  }
  return {
    content: Object.keys(origins).length > 0 ? { ...origins, answer } : answer,
    labels: [...(labels ?? [documentText]), foreignText, ...(hasRead ? [documentText] : [])],
    parts: parts.filter(
      (part): part is ToolPart & typeof part =>
        part.type === "widget" || part.type === "chart" || part.type === "file",
    ),
  }
}

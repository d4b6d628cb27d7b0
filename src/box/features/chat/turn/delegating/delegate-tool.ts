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
import type { WaitingCall } from "../../approvals/waiting-call.ts"
import type { ParkedTask } from "../../approvals/parked-turn.ts"
import { TaskWaits } from "../../tool-calls/task-waits.ts"
import { createAnswerRecord, type AnswerRecord } from "../../transcript/answers/answer-record.ts"
import { nothingSpent, type AnswerEvent, type TurnProgress } from "../turn.ts"

/** An assistant that a task can be given to. */
export interface Delegate {
  id: string
  handle: string
  /** What it is for; empty for another user's, whose words this assistant need not read. */
  description: string
}

/** How far a task is; kept up to date while it is carried out. */
export type TaskProgress = Pick<TurnProgress, "parts" | "labels" | "spent" | "tasks">

export interface DelegateToolDeps {
  delegates: readonly Delegate[]
  /** Tasks that wait, by the calls that gave them; one that goes on is taken out. */
  tasks: Map<string, ParkedTask>
  /** Carries out the task, or goes on with it, with the assistant's own instructions, folders and tools. */
  runTask(
    delegate: Delegate,
    task: string,
    progress: TaskProgress,
    context: ToolContext,
  ): AsyncIterable<AnswerEvent>
}

/** The tool `assistant`: gives a task to another assistant and returns what it answers. Throws `TaskWaits`. */
export function createDelegateTool({ delegates, tasks, runTask }: DelegateToolDeps): Tool {
  const byHandle = new Map(delegates.map((delegate) => [delegate.handle, delegate]))
  const list = delegates.map(({ handle, description }) =>
    description === "" ? `@${handle}` : `@${handle}: ${description.slice(0, 200)}`,
  )

  /** What there is of the task that this call gave, which is then nobody else's. */
  function take(toolCallId: string, { id, handle }: Delegate): TaskProgress {
    const parked = tasks.get(toolCallId)
    tasks.delete(toolCallId)
    if (parked === undefined) return { parts: [], labels: [], spent: nothingSpent(), tasks: new Map() }
    if (parked.assistantId !== id)
      throw new AppError("conflict", sentence("chat.other_assistant", { handle }))
    const { parts, spent } = parked
    // What its model had read isn't stored: it may be anything until it reads on.
    return { parts, labels: null, spent, tasks: new Map(Object.entries(parked.tasks)) }
  }

  return defineTool({
    key: delegationKey,
    description:
      "Gives a task to another assistant, which has its own knowledge and tools, and returns its answer. It knows " +
      `nothing of this conversation, so say all it needs. The assistants: ${list.join("; ")}.`,
    effects: ["read"],
    // Whatever it read may be in its answer. Where that isn't known it may be anything.
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

/** Who asks is the last one that the task was handed to; the call is the one that the answer itself made. */
const delegationTo = ({ id, handle }: Delegate, toolCallId: string, { delegation }: WaitingCall) => ({
  assistantId: id,
  handle,
  ...delegation,
  toolCallId,
})

/** Its citations are numbers of passages that only it has seen. */
const citation = /\s?\[\d{1,3}\]/g

const foreignText: ContextLabel = { trusted: false, private: false }
const documentText: ContextLabel = { trusted: false, private: true }

function toResult(record: AnswerRecord, labels: readonly ContextLabel[] | null): ToolResult {
  const parts = record.parts()
  const documents = new Set(parts.flatMap((part) => (part.type === "source" ? [part.fileName] : [])))
  const text = record.content()
  const answer = documents.size > 0 ? text.replace(citation, "") : text
  // Names of files stand in a list of them too.
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

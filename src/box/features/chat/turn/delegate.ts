import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { delegationKey } from "../../../tools/registry.ts"
import {
  defineTool,
  type ContextLabel,
  type Tool,
  type ToolContext,
  type ToolPart,
  type ToolResult,
} from "../../../tools/tool.ts"
import { countOrigins, type TaskOrigins } from "../../../tools/withheld.ts"
import { createAnswerRecord, type AnswerRecord } from "../transcript/answer-record.ts"
import type { WaitingCall } from "../tool-calls/call-tools.ts"
import { TaskWaits, type ParkedTask } from "../approvals/parked-task.ts"
import { nothingSpent, type AnswerEvent, type Turn } from "./turn.ts"

/** An assistant that a task can be given to. */
export interface Delegate {
  id: string
  handle: string
  /** What it is for; empty for another user's, whose words this assistant need not read. */
  description: string
}

/** How far a task is; its counts and tasks go on while it is answered. */
type TaskProgress = Pick<Turn, "parts" | "spent" | "tasks">

export interface DelegateToolDeps {
  delegates: readonly Delegate[]
  /** Tasks that wait, by the calls that gave them; one that goes on is taken out. */
  tasks: Map<string, ParkedTask>
  /** Answers the task, or goes on with it, with the assistant's own instructions, folders and tools. */
  answer(
    delegate: Delegate,
    task: string,
    progress: TaskProgress & Pick<Turn, "keepLabels">,
    context: ToolContext,
  ): AsyncIterable<AnswerEvent>
}

/** The tool `assistant`: gives a task to another assistant and returns what it answers. Throws `TaskWaits`. */
export function createDelegateTool({ delegates, tasks, answer }: DelegateToolDeps): Tool {
  const byHandle = new Map(delegates.map((delegate) => [delegate.handle, delegate]))
  const list = delegates.map(({ handle, description }) =>
    description === "" ? `@${handle}` : `@${handle}: ${description.slice(0, 200)}`,
  )

  /** What there is of the task that this call gave, which is then nobody else's. */
  function take(toolCallId: string, { id, handle }: Delegate): TaskProgress {
    const parked = tasks.get(toolCallId)
    tasks.delete(toolCallId)
    if (parked === undefined) return { parts: [], spent: nothingSpent(), tasks: new Map() }
    if (parked.assistantId !== id)
      throw new AppError("conflict", sentence("chat.other_assistant", { handle }))
    const { parts, spent } = parked
    return { parts, spent, tasks: new Map(Object.entries(parked.tasks)) }
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
      let labels: readonly ContextLabel[] | null = []
      const keepLabels = (read: typeof labels) => void (labels = read)
      for await (const event of answer(delegate, task, { ...progress, keepLabels }, context)) {
        if (event.type === "finish") waiting = event.waiting
        else record.add(event)
        if (event.type === "notice") refused.push(...(event.tools ?? []))
      }
      if (waiting.length === 0) return { ...toResult(record, labels), refused }
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
  const said = record.parts()
  const documents = new Set(said.flatMap((part) => (part.type === "source" ? [part.fileName] : [])))
  const text = record.content()
  const answer = documents.size > 0 ? text.replace(citation, "") : text
  const origins: TaskOrigins = {
    ...countOrigins(said),
    ...(documents.size > 0 && { documents: [...documents] }),
  }
  return {
    content: Object.keys(origins).length > 0 ? { ...origins, answer } : answer,
    labels: [...(labels ?? [documentText]), foreignText, ...(documents.size > 0 ? [documentText] : [])],
    parts: said.filter(
      (part): part is ToolPart & typeof part =>
        part.type === "widget" || part.type === "chart" || part.type === "file",
    ),
  }
}

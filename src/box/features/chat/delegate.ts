import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { delegationKey } from "../../tools/registry.ts"
import { defineTool, type Tool, type ToolContext, type ToolPart, type ToolResult } from "../../tools/tool.ts"
import type { ToolEvent } from "./call-tools.ts"
import type { AnswerEvent } from "./turn.ts"

/** An assistant that a task can be given to. */
export interface Delegate {
  id: string
  handle: string
  /** What it is for; empty for another user's, whose words this assistant need not read. */
  description: string
}

type FilePart = Extract<ToolPart, { type: "file" }>

export interface DelegateToolDeps {
  delegates: readonly Delegate[]
  /** Answers the task with the assistant's own instructions, folders and tools. Its files belong to the one who asks. */
  answer(
    delegate: Delegate,
    task: string,
    context: ToolContext,
    keepFile: (file: FilePart, toolCallId: string) => Promise<ToolEvent>,
  ): AsyncIterable<AnswerEvent>
}

/** The tool `assistant`: gives a task to another assistant and returns what it answers. */
export function createDelegateTool({ delegates, answer }: DelegateToolDeps): Tool {
  const byHandle = new Map(delegates.map((delegate) => [delegate.handle, delegate]))
  const list = delegates.map(({ handle, description }) =>
    description === "" ? `@${handle}` : `@${handle}: ${description.slice(0, 200)}`,
  )
  return defineTool({
    key: delegationKey,
    description:
      "Gives a task to another assistant, which has its own knowledge and tools, and returns its answer. It knows " +
      `nothing of this conversation, so say all it needs. The assistants: ${list.join("; ")}.`,
    effects: ["read"],
    // Whatever it read may be in its answer.
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
        throw new AppError("validation", `There is no assistant ${handle}. There are: ${list.join("; ")}.`)
      const files: FilePart[] = []
      const handedOn = (file: FilePart, toolCallId: string): Promise<ToolEvent> => {
        files.push(file)
        const { name, mediaType, bytes } = file
        return Promise.resolve({ type: "file", toolCallId, fileId: "", name, mediaType, size: bytes.length })
      }
      const { content, parts } = await collect(answer(delegate, task, context, handedOn))
      return { content, parts: [...parts, ...files] }
    },
  })
}

/** Its citations are numbers of passages that only it has seen. */
const citation = /\s?\[\d{1,3}\]/g

async function collect(events: AsyncIterable<AnswerEvent>): Promise<ToolResult & { parts: ToolPart[] }> {
  let text = ""
  const documents = new Set<string>()
  const parts: ToolPart[] = []
  for await (const event of events) {
    if (event.type === "text-delta") text += event.textDelta
    if (event.type === "source") documents.add(event.fileName)
    if (event.type === "widget") parts.push({ type: "widget", title: event.title, html: event.html })
    if (event.type === "chart") parts.push({ type: "chart", chart: event.chart })
  }
  const answer = documents.size > 0 ? text.replace(citation, "") : text
  return { content: documents.size > 0 ? { answer, documents: [...documents] } : answer, parts }
}

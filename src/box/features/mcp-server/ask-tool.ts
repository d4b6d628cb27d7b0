import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { ChatEvent, Source } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { Id } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { newId } from "../../core/ids.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import { createPartRedactor } from "../../tools/withheld.ts"
import { shownPassage, wrongArgument } from "./folder-tools.ts"
import {
  type AnswerRun,
  type McpServerDeps,
  defineTool,
  longText,
  type McpTool,
  type ToolCall,
} from "./tool.ts"

/** Maximum number of folders in a question. */
const maxFolders = 50
const maxQuestionLength = 100_000
/** Maximum and minimum interval between progress reports. Programs give up on a call that sends none. */
const progressMs = 5_000
const oftenestMs = 500

export const createAskTool = (deps: McpServerDeps): McpTool =>
  defineTool({
    name: "ask",
    title: "Ask about the documents",
    description:
      "Asks Casella's model to answer a question from the documents in folders, with citations. It searches automatically, in all folders unless folderIds or assistant is given. It may take a minute; use `search` if you need only passages.",
    scopes: ["assistants"],
    readOnly: false,
    input: z.object({
      question: longText(maxQuestionLength),
      folderIds: z.array(Id).max(maxFolders).optional().meta({ description: "Only from these" }),
      assistant: z
        .string()
        .max(200)
        .optional()
        .meta({ description: "Id, @handle or name of an assistant, which answers in its own way" }),
    }),
    async run({ question, folderIds, assistant }, call) {
      const { caller, boxAddress, signal } = call
      const assistantId = assistant === undefined ? null : await findAssistant(deps, caller, assistant)
      const run = await deps.ask(caller, {
        id: newId(),
        messages: [{ role: "user", content: question }],
        boxAddress,
        assistantId,
        vector: folderIds ?? (assistantId === null ? await listAllFolderIds(deps, caller) : []),
        approvals: "deny", // there is no one to ask
      })
      return await followRun(run, call, signal)
    },
  })

async function findAssistant(deps: McpServerDeps, { userId }: Caller, named: string): Promise<string> {
  const id = await deps.assistantId(userId, named)
  if (id !== null) return id
  throw new AppError("not_found", sentence("assistants.none_such"))
}

async function listAllFolderIds(deps: McpServerDeps, caller: Caller): Promise<string[]> {
  if (!reachesFolders(caller)) return []
  const folders = await deps.folders(caller.userId)
  if (folders.length <= maxFolders) return folders.map(({ id }) => id)
  throw wrongArgument(`There are ${folders.length} folders. Name up to ${maxFolders} of them in folderIds.`)
}

/** Returns the answer when it is complete. Cancelling the call or disconnecting stops it. */
async function followRun(run: AnswerRun, call: ToolCall, signal: AbortSignal): Promise<CallToolResult> {
  using ends = new DisposableStack()
  const stop = () => run.stop()
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop)
  ends.defer(() => signal.removeEventListener("abort", stop))

  const shown = createPartRedactor(call.caller)
  const answer = newAnswer()
  let lastReportAt = performance.now()
  const reportProgress = () => {
    lastReportAt = performance.now()
    call.progress(answer.stage)
  }
  const progressTimer = setInterval(reportProgress, progressMs)
  ends.defer(() => clearInterval(progressTimer))
  reportProgress()
  for await (const { event } of run.follow(undefined, signal)) {
    const visible = shown(event)
    if (visible === null) continue
    const stage = answer.stage
    applyEvent(answer, visible)
    if (answer.stage !== stage && performance.now() - lastReportAt >= oftenestMs) reportProgress()
  }
  if (signal.aborted) await run.ended
  return toResult(answer)
}

interface Answer {
  text: string
  sources: Source[]
  notices: string[]
  problem: string | null
  chatId: string
  stage: string
}

const newAnswer = (): Answer => ({
  text: "",
  sources: [],
  notices: [],
  problem: null,
  chatId: "",
  stage: "Looking for passages",
})

function applyEvent(answer: Answer, event: ChatEvent): void {
  if (event.type === "start") answer.chatId = event.chatId
  else if (event.type === "source") {
    answer.sources.push(event)
    answer.stage = `Reading ${answer.sources.length} passages`
  } else if (event.type === "notice") answer.notices.push(event.message)
  else if (event.type === "error") answer.problem = event.error
  else if (event.type === "tool-call") answer.stage = `Using ${event.toolName}`
  else if (event.type === "reasoning-delta") answer.stage = "Thinking"
  else if (event.type === "text-delta" || event.type === "text") {
    answer.text += event.type === "text" ? event.text : event.textDelta
    answer.stage = `Writing: ${answer.text.length} characters`
  }
}

/** Text with its sources for models, and the same as data for programs. */
function toResult({ text, sources, notices, problem, chatId }: Answer): CallToolResult {
  const cited = sources.map((source) => ({
    citation: source.citation,
    ...shownPassage(source),
    link: source.url,
  }))
  const list = cited.map(
    ({ citation, file, place, link }) => `[${citation}] ${file}${place === "" ? "" : `, ${place}`}: ${link}`,
  )
  const parts = [text, ...(list.length > 0 ? [`Sources:\n${list.join("\n")}`] : []), ...notices]
  if (problem !== null) parts.push(problem)
  return {
    content: [{ type: "text", text: parts.filter((part) => part !== "").join("\n\n") }],
    structuredContent: { answer: text, sources: cited, chatId, ...(notices.length > 0 && { notices }) },
    ...(problem !== null && { isError: true }),
  }
}

import { setTimeout as wait } from "node:timers/promises"
import { styleText } from "node:util"
import type { ChatEvent, ChatMessage, FinishReason, Source, Usage } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Notice } from "../../../shared/contract/folders.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { TerminalError } from "../../core/terminal-error.ts"
import { abortAfter } from "../../core/waiting/abort-and-timeout.ts"
import type { Answering } from "../names.ts"
import type { RunningBox } from "../running-box.ts"
import { type StatusLine, formatLocation, plainText } from "../terminal.ts"

/** Result of a question. */
export interface Answer {
  text: string
  /** Sources that the text cites, in the order of their numbers. */
  citations: Source[]
  /** Number of passages found. */
  found: number
  notices: Notice[]
  finishReason: FinishReason
  usage: Usage
}

interface Question {
  chatId: string
  messages: ChatMessage[]
  answering: Answering
  /** Stops only this answer. */
  stopped: AbortSignal
  /** Receives the answer's text as it arrives. */
  write(text: string): void
  statusLine: StatusLine
}

/** Time limit for the box to stop an answer. */
const stopLimitMs = 3_000
const stopPauseMs = 50

/**
 * Sends a question to the box and follows its answer. If this is stopped, the model is stopped too; closing the connection alone would let
 * it keep writing for a client that reconnects.
 * @throws the reason of `stopped`; `AppError` if the box refuses or the model fails
 */
export async function ask({ client, url }: RunningBox, question: Question): Promise<Answer> {
  const { chatId, messages, answering, stopped } = question
  stopped.throwIfAborted()
  const cut = new AbortController()
  const stop = () => void endAnswer(client, chatId, cut)
  stopped.addEventListener("abort", stop, { once: true })
  try {
    const events = client.chat.send(
      {
        body: {
          id: chatId,
          messages,
          boxAddress: url,
          vector: answering.folderIds,
          approvals: "deny",
          ...(answering.modelId === null ? {} : { modelId: answering.modelId }),
          ...(answering.assistantId === null ? {} : { assistantId: answering.assistantId }),
        },
      },
      { signal: cut.signal },
    )
    return await read(events, question)
  } catch (error) {
    stopped.throwIfAborted()
    if (error instanceof AppError) throw error
    throw new TerminalError("unavailable", "The connection to Casella was lost during the answer.", {
      cause: error,
    })
  } finally {
    question.statusLine.done()
    stopped.removeEventListener("abort", stop)
    cut.abort()
  }
}

/** Also handles an answer that is about to start, by stopping it when it exists. */
async function endAnswer(client: RunningBox["client"], chatId: string, cut: AbortController): Promise<void> {
  const signal = AbortSignal.any([abortAfter(stopLimitMs), cut.signal])
  try {
    while (!(await client.chat.stop({ params: { chatId } }, { signal })).success)
      await wait(stopPauseMs, undefined, { signal })
  } catch {
    cut.abort() // the box is gone, or the answer has ended
  }
}

type Progress = Extract<ChatEvent, { type: "progress" }>
const progressWords: Record<Progress["stage"], (progress: Progress) => string> = {
  reading: ({ done, total }) => `Reading everything: ${done} of ${total} parts …`,
  combining: () => "Combining the extracts …",
}

async function read(events: AsyncIterable<ChatEvent>, question: Question): Promise<Answer> {
  const { statusLine, write, stopped } = question
  const sources: Source[] = []
  const notices: Notice[] = []
  let text = ""
  statusLine.doing("Reading the question …")
  for await (const event of events) {
    switch (event.type) {
      case "source":
        sources.push(event)
        break
      case "text-delta":
      case "text": {
        const words = event.type === "text" ? event.text : event.textDelta
        statusLine.done()
        text += words
        write(words)
        break
      }
      case "reasoning-delta":
        statusLine.doing("Thinking …")
        break
      case "tool-call":
        statusLine.doing(`Using ${event.toolName} …`)
        break
      case "notice":
        notices.push({ ...event, sentence: event.sentence })
        statusLine.say(event.message)
        break
      case "progress":
        statusLine.doing(progressWords[event.stage](event))
        break
      case "coverage":
        for (const { name, skipped } of event.files)
          if (skipped !== null) statusLine.say(`Not all of ${name} was read: ${skipped}`)
        break
      case "file":
        statusLine.say(`Created the file ${event.name}. It is in this chat in Casella.`)
        break
      case "chart":
      case "widget":
        statusLine.say("Created a widget. It is in this chat in Casella.")
        break
      case "error":
        throw new AppError(event.code, Sentence.asIs(event.error, event.sentence))
      case "finish": {
        stopped.throwIfAborted()
        const citations = cited(text, sources)
        const { finishReason, usage } = event
        return { text, citations, found: sources.length, notices, finishReason, usage }
      }
      case "start":
      case "tool-result":
      case "tool-approval-request": // no approval waits, because such calls are denied
    }
  }
  throw new TerminalError("unavailable", "Casella ended the connection during the answer.")
}

function cited(text: string, sources: readonly Source[]): Source[] {
  const numbers = new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)))
  return sources.filter(({ citation }) => numbers.has(citation)).toSorted((a, b) => a.citation - b.citation)
}

/** Prints an answer as it arrives. */
export function createPrinter(prints: boolean) {
  let last = "\n"
  const write = (text: string) => {
    const plain = plainText(text)
    if (plain === "" || !prints) return
    last = plain
    process.stdout.write(plain)
  }
  const breakOff = () => {
    if (!last.endsWith("\n")) write("\n")
  }
  return {
    write,
    breakOff,
    end({ citations, found, finishReason }: Answer, statusLine: StatusLine): void {
      breakOff()
      if (citations.length > 0) write("\n")
      for (const source of citations) {
        const line = `[${source.citation}] ${formatLocation(source)}`
        process.stdout.write(`${styleText("dim", line, { stream: process.stdout })}\n`)
      }
      if (citations.length === 0 && found > 0)
        statusLine.say(`Passages found: ${found}. The answer cites none of them.`)
      if (finishReason === "length") statusLine.say("The answer was cut off at the maximum length.")
    },
  }
}

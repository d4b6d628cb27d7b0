import { randomUUID } from "node:crypto"
import { type Command, type CommandFlags, UsageError } from "../command.ts"
import { callerFlags, withRunningBox, type RunningBox } from "../running-box.ts"
import { plainJson, readPiped, createStatusLine, type StatusLine } from "../terminal.ts"
import { ask, type Answer, createPrinter } from "./answer.ts"
import { findAnswering, type Answering } from "../names.ts"

/** Asks one question, or starts an interactive chat at a terminal. */
export const chatCommand: Command = {
  words: ["chat"],
  takes: ["[QUESTION]"],
  summary: "Ask a question and stream the answer with citations; piped text is added to it",
  flags: [
    { name: "model", takes: "ID|NAME", about: "Model that answers", names: "model" },
    { name: "folder", takes: "NAME|ID", about: "Answer from this folder (repeatable)", names: "folder" },
    { name: "assistant", takes: "NAME|ID", about: "Assistant that answers", names: "assistant" },
    { name: "json", about: "Print answer, citations, model and usage as JSON at the end" },
    ...callerFlags,
  ],
  callsBox: true,
  async run(flags, [question = ""]) {
    return withRunningBox(flags, async (box) => {
      const { stdin, stdout, stderr } = process
      const talks = stdin.isTTY && question.trim() === ""
      if (talks && flags.json === true)
        throw new UsageError('--json needs a question. Example: chat "What is due?" --json')
      const piped = stdin.isTTY ? "" : (await readPiped(box.stopped)).trimEnd()
      const content = [question, piped].filter((part) => part.trim() !== "").join("\n\n")
      if (!talks && content === "")
        throw new UsageError('The question is missing. Example: chat "What is due?"')
      const answering = await findAnswering(box.client, flags)
      const statusLine = createStatusLine(stderr.isTTY && stdout.isTTY)
      if (answering.sending !== null) statusLine.say(answering.sending)
      if (talks) {
        const { converse } = await import("./converse.ts")
        await converse(box, answering, statusLine)
        return []
      }
      return askOnce(box, flags, { content, answering, statusLine })
    })
  },
}

interface Single {
  content: string
  answering: Answering
  statusLine: StatusLine
}

async function askOnce(box: RunningBox, flags: CommandFlags, { content, answering, statusLine }: Single) {
  const chatId = randomUUID()
  const print = createPrinter(flags.json !== true)
  const question = { chatId, messages: [{ role: "user" as const, content }], answering, statusLine }
  try {
    const answer = await ask(box, { ...question, stopped: box.stopped, write: print.write })
    if (flags.json === true) return [plainJson(toJson(answer, chatId, answering))]
    print.end(answer, statusLine)
    return []
  } catch (error) {
    print.breakOff()
    throw error
  }
}

const toJson = (answer: Answer, chatId: string, { model }: Answering) => ({
  answer: answer.text,
  citations: answer.citations.map((source) => ({
    number: source.citation,
    file: source.fileName,
    path: source.relativePath,
    place: source.location,
    text: source.text,
    url: source.url,
  })),
  model,
  usage: answer.usage,
  finishReason: answer.finishReason,
  notices: answer.notices.map(({ code, message }) => ({ code, message })),
  chatId,
})

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
  summary: "ask, and get the answer with its citations; text that is piped in belongs to the question",
  flags: [
    { name: "model", takes: "ID|NAME", about: "the model that answers", names: "model" },
    { name: "folder", takes: "NAME|ID", about: "answer from this folder; may be repeated", names: "folder" },
    { name: "assistant", takes: "NAME|ID", about: "who answers", names: "assistant" },
    { name: "json", about: "print the answer, its citations, model and usage as JSON, at the end" },
    ...callerFlags,
  ],
  callsBox: true,
  async run(flags, [question = ""]) {
    return withRunningBox(flags, async (box) => {
      const { stdin, stdout, stderr } = process
      const talks = stdin.isTTY && question.trim() === ""
      if (talks && flags.json === true) throw new UsageError("--json is for one question. What is it?")
      const piped = stdin.isTTY ? "" : (await readPiped(box.stopped)).trimEnd()
      const content = [question, piped].filter((part) => part.trim() !== "").join("\n\n")
      if (!talks && content === "")
        throw new UsageError('What is the question? Give it as in: chat "What is due?"')
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

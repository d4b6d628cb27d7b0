import { randomUUID } from "node:crypto"
import { createInterface } from "node:readline"
import type { ChatMessage } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { Interrupted } from "../command.ts"
import type { RunningBox } from "../running-box.ts"
import type { StatusLine } from "../terminal.ts"
import { ask, createPrinter } from "./answer.ts"
import type { Answering } from "../names.ts"

/** Asks question after question until the input ends. Ctrl+C stops the answer or, if there is none, discards the question. */
export async function converse(box: RunningBox, answering: Answering, statusLine: StatusLine): Promise<void> {
  const chatId = randomUUID()
  const messages: ChatMessage[] = []
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: "› " })
  const quit = () => lines.close()
  box.stopped.addEventListener("abort", quit, { once: true })
  let answer: AbortController | null = null
  lines.on("SIGINT", () => {
    if (answer) return answer.abort(new Interrupted("SIGINT"))
    process.stderr.write("\n")
    lines.write(null, { ctrl: true, name: "u" })
    lines.prompt()
  })
  statusLine.say(`${answering.model?.name ?? "No model"} answers. Ctrl+C stops an answer, Ctrl+D ends.`)
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== "") {
      answer = new AbortController()
      messages.push({ role: "user", content: line })
      const text = await answerTo(AbortSignal.any([box.stopped, answer.signal]))
      if (text === null) messages.pop()
      else messages.push({ role: "assistant", content: text })
      answer = null
      box.stopped.throwIfAborted()
    }
    lines.prompt()
  }
  box.stopped.throwIfAborted()
  process.stderr.write("\n")

  /** Returns the answer's text; null if it is empty. */
  async function answerTo(stopped: AbortSignal): Promise<string | null> {
    const print = createPrinter(true)
    let said = ""
    const write = (text: string) => {
      said += text
      print.write(text)
    }
    try {
      const done = await ask(box, { chatId, messages, answering, stopped, statusLine, write })
      print.end(done, statusLine)
    } catch (error) {
      print.breakOff()
      if (error instanceof Interrupted) statusLine.say("Stopped.")
      else if (error instanceof AppError) statusLine.say(error.message)
      else throw error
    }
    process.stdout.write("\n")
    return said === "" ? null : said
  }
}

import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { ensureTestModel } from "../../src/box/engines/llama/testing/test-models.ts"
import { keptAlive } from "../../src/shared/testing/kept-alive.ts"

/** Starts a question whose answer ends only when it is stopped. The scripted model also recognises it if it ends with `!`. */
export const endless = "Endlessly"
/** Start questions that are answered with a tool call and `done`. */
export const calculate = "Calculate"
export const runPython = "Python"
const done = "Done."
/** Starts a question that is answered with a call to remember the rest of it. */
export const remember = "Remember"

/** The lab model's answer to any other question. */
export const answerTo = (question: string): string =>
  question.startsWith(calculate) || question.startsWith(runPython)
    ? done
    : `You asked: ${question} ${"And so on. ".repeat(20)}`.trim()

/** Answer of a model in the box's built-in engine. */
export const scriptedAnswer = "Hello from the scripted model."
export const ensureLabModelFile = (): string =>
  ensureTestModel({ reply: scriptedAnswer, replies: { "!": { forever: " on and on" } } })

const wordMs = 2

interface Asked {
  messages: { role: string; content: string | null }[]
}

/** A model server in OpenAI's format. It runs outside the box, so that it outlives it. */
export async function startLabModel(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(keptAlive, (request, response) => {
    if (request.url?.endsWith("/models") === true) {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ object: "list", data: [{ id: "lab", object: "model" }] }))
      return
    }
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("error", () => undefined)
    request.on("end", () => {
      response.setHeader("content-type", "text/event-stream")
      void (async () => {
        for await (const [delta, finish] of reply(JSON.parse(Buffer.concat(parts).toString()) as Asked)) {
          if (response.destroyed) return
          const choices = [{ index: 0, delta, finish_reason: finish }]
          response.write(`data: ${JSON.stringify({ choices })}\n\n`)
        }
        response.end("data: [DONE]\n\n")
      })()
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

let calls = 0

async function* reply({ messages }: Asked): AsyncGenerator<[delta: object, finish: string | null]> {
  const last = messages.at(-1)
  const question = last?.content ?? ""
  if (last?.role === "tool") {
    yield [{ content: done }, null]
  } else if (callFor(question)) {
    const { name, args } = callFor(question) ?? {}
    const call = { name, arguments: JSON.stringify(args) }
    yield [{ tool_calls: [{ index: 0, id: `lab_${++calls}`, function: call }] }, null]
    return yield [{}, "tool_calls"]
  } else {
    const words = question.startsWith(endless) ? endlessWords() : answerTo(question).match(/\S+\s*/g)
    for (const content of words ?? []) {
      yield [{ content }, null]
      await pause(wordMs)
    }
  }
  yield [{}, "stop"]
}

function callFor(question: string): { name: string; args: object } | null {
  const fact = question.slice(question.indexOf(remember) + remember.length).trim()
  if (question.includes(remember)) return { name: "memory", args: { action: "remember", text: fact } }
  if (question.startsWith(calculate)) return { name: "calculate", args: { expression: "6 * 7" } }
  if (question.startsWith(runPython)) return { name: "codeInterpreter", args: { code: "print(6 * 7)" } }
  return null
}

function* endlessWords(): Generator<string> {
  for (;;) yield "on and "
}

import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

/** Begins a question whose answer ends only when it is stopped. */
export const endless = "Endlessly"
/** Begins a question that is answered by a call to remember the rest of it. */
export const remember = "Remember"

/** What the lab's model says to any other question. */
export const answerTo = (question: string): string =>
  `You asked: ${question} ${"And so on. ".repeat(20)}`.trim()

const wordMs = 2

interface Asked {
  messages: { role: string; content: string | null }[]
}

/** A model server in OpenAI's format, outside the box, so that it outlives it. */
export async function startLabModel(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
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
    yield [{ content: "Done." }, null]
  } else if (question.includes(remember)) {
    const text = question.slice(question.indexOf(remember) + remember.length).trim()
    const call = { name: "memory", arguments: JSON.stringify({ action: "remember", text }) }
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

function* endlessWords(): Generator<string> {
  for (;;) yield "on and "
}

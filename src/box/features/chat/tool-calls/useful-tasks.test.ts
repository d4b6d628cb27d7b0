import { afterEach, expect, test } from "vitest"
import type { Round } from "../../../testing/model-servers/model-server.ts"
import {
  call,
  calls,
  summariseOutcomes,
  startSink,
  startSinkTalk,
  type Sink,
  type SinkTalkOptions,
} from "../testing/sink-talk.ts"
import { of } from "../testing/tool-talk.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

interface Task extends SinkTalkOptions {
  question: (sink: Sink) => string
  rounds: (sink: Sink) => Round[]
}

const document = "Rossi pays 1,200 each month; Bianchi 800. The contract ends in 2027."
const facts = { texts: ["Likes tea."], isAll: true }
const textReply = (text: string) => () => text

/** Typical user requests and the calls that a sensible model makes for them. */
const tasks: Record<string, Task> = {
  "a chart of one's documents": {
    document,
    question: textReply("Make a chart of what everybody pays."),
    rounds: () => [call("plot", { text: "Rossi 1200, Bianchi 800" })],
  },
  "a sum of numbers in a folder": {
    document,
    question: textReply("How much is that in a year?"),
    rounds: () => [
      call("addAReasoningStep", { text: "Add up" }),
      call("calculate", { text: "(1200 + 800) * 12" }),
    ],
  },
  "Python and a widget over a folder": {
    document,
    question: textReply("Make a calculator for these contracts."),
    rounds: () => [
      call("codeInterpreter", { text: "print(1200 + 800)" }),
      call("createWidget", { text: "<b>Rossi</b>" }),
    ],
  },
  "a search, its result, another search": {
    question: textReply("What is new about heat pumps?"),
    rounds: ({ url }) => [
      call("webSearch", { text: "heat pumps news 2026" }),
      calls(["fetch", { url: `${url}/found` }], ["fetch", { url: `${url}/snippet` }]),
      call("webSearch", { text: "subsidies for heat pumps Italy" }),
      call("fetch", { url: `${url}/linked` }),
    ],
  },
  "a page that the model knows": {
    question: textReply("What does the town's site say?"),
    rounds: ({ url }) => [call("fetch", { url: `${url}/town` })],
  },
  "weather after a search": {
    question: textReply("Where is the fair, and how is the weather there?"),
    rounds: () => [
      call("webSearch", { text: "fair 2026" }),
      call("getWeather", { place: "Verona", days: 7 }),
    ],
  },
  "weather in the city that the user named, after a folder": {
    document,
    question: textReply("Will it rain in Milano when I meet Rossi about the contract?"),
    rounds: () => [call("getWeather", { place: "Milano", days: 2 })],
  },
  "a search in the user's words, after a folder": {
    document,
    question: textReply(
      "What does the contract with Rossi say, and what do lawyers write about ending rental contracts?",
    ),
    rounds: () => [call("webSearch", { text: "ending a rental contract" })],
  },
  "an address that the user gave, beside a folder": {
    document,
    question: ({ url }) => `Compare ${url}/offer with my contract.`,
    rounds: ({ url }) => [call("fetch", { url: `${url}/offer` })],
  },
  "two addresses in their order, beside a folder": {
    document,
    question: ({ url }) => `Compare ${url}/offer and then ${url}/terms with my contract.`,
    rounds: ({ url }) => [call("fetch", { url: `${url}/offer` }), call("fetch", { url: `${url}/terms` })],
  },
  "what is remembered, and the weather where the user says": {
    facts,
    question: textReply("What do I like to drink when it is cold? Is it cold in Bologna?"),
    rounds: () => [call("memory", { text: "recall" }), call("getWeather", { place: "Bologna" })],
  },
  "mail in the user's words": {
    accounts: true,
    question: textReply("Did the plumber write?"),
    rounds: () => [call("read_mail", { text: "plumber" })],
  },
  "mail about what a page says": {
    accounts: true,
    question: textReply("Search for plumbers near here, and look whether one of them wrote."),
    rounds: () => [call("webSearch", { text: "plumbers" }), call("read_mail", { text: "Idraulica Verdi" })],
  },
  "what another assistant finds, opened and searched further": {
    question: textReply("Have the other assistant look for heat pumps, then read what it found."),
    rounds: ({ url }) => [
      call("assistant", { handle: "plain", task: "Search for heat pumps." }),
      call("webSearch", { text: "heat pumps" }),
      { text: "There is news." },
      call("fetch", { url: `${url}/found` }),
      call("webSearch", { text: "subsidies in Bologna" }),
    ],
  },
  "a search that is made again, after a folder": {
    document,
    question: textReply(
      "What do lawyers in citta di castello write about ending rental contracts like that with Rossi?",
    ),
    rounds: () => [
      call("webSearch", { text: "lawyers Città di Castello" }),
      call("webSearch", { text: "lawyers Città di Castello" }),
      call("webSearch", { text: "ending a rental contract without the lawyers of the Città" }),
      call("getWeather", { place: "Città di Castello" }),
    ],
  },
  "a task for another assistant": {
    document,
    question: textReply("Have the other assistant work out what Rossi pays in a year."),
    rounds: () => [
      call("assistant", { handle: "other", task: "Work out 1,200 times 12." }),
      call("calculate", { text: "1200 * 12" }),
    ],
  },
}

// Catches a policy that stops honest work. All tasks must complete without a question or a refusal.
test.each(Object.entries(tasks))(
  "%s completes without approval",
  async (_, { question, rounds, ...options }) => {
    const sink = stack.use(await startSink())
    const chat = stack.use(await startSinkTalk(sink, options))
    const events = await chat.ask(question(sink), rounds(sink))
    expect(summariseOutcomes(events), JSON.stringify(of(events, "tool-approval-request"))).toMatch(
      /^run( run)*$/,
    )
    expect(events.at(-1)).toMatchObject({ finishReason: "stop" })
    expect(of(events, "notice").filter(({ code }) => code === "call_refused")).toEqual([])
  },
)

test("covers sixteen tasks", () => {
  expect(Object.keys(tasks)).toHaveLength(16)
})

// Catches an address from an earlier message that delays a newer one.
test("opens an address of the newest message whatever was named earlier", async () => {
  const sink = stack.use(await startSink())
  const chat = stack.use(await startSinkTalk(sink, { document }))
  const before = [`What does ${sink.url}/first say?`, "Done."]
  await chat.ask(before[0] ?? "", [])
  const events = await chat.ask(
    `What does ${sink.url}/second say?`,
    [call("fetch", { url: `${sink.url}/second` })],
    {
      before,
    },
  )
  expect(summariseOutcomes(events)).toBe("run")
})

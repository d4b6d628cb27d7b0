import type { ChatEvent, ChatRequest, Coverage, Source } from "../../../shared/contract/chat.ts"
import type { Client } from "../../../shared/client/http-client.ts"
import { startTestBox, type TestBox } from "../test-box.ts"
import { startModelServer, type ModelRequest, type ModelServer, type Round } from "./model-server.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

export interface Answered {
  events: ChatEvent[]
  text: string
  sources: Source[]
  notices: string[]
  coverage: Coverage | undefined
}

/** A box whose model server is scripted by the test, with files to read whole. */
export interface ReadingTalk extends AsyncDisposable {
  box: TestBox
  server: ModelServer
  /** Set by a test whose model should answer with something other than `echo`. */
  speak(request: ModelRequest): Round | Promise<Round>
  /** Requests that the server received to read parts, and to combine notes. */
  read(): ModelRequest[]
  combined(): ModelRequest[]
  /** The names may be paths inside the folder. */
  makeFolder(files: Record<string, string | Uint8Array>): Promise<Folder>
  ask(body: Partial<ChatRequest> & { content: string }, client?: Client): Promise<Answered>
}

export interface Folder {
  id: string
  /** File IDs by file name. */
  files: Record<string, string>
}

/** Appears in the lines that a test looks for. */
export const mark = "canary"

const newest = ({ messages }: ModelRequest): string => messages.at(-1)?.content ?? ""
const isPart = (request: ModelRequest) => newest(request).startsWith("<part>")

/** Repeats the lines that contain the mark, without their numbers unless `shouldIncludeNumbers` is set. */
export function echo(request: ModelRequest, shouldIncludeNumbers = false): Round {
  const lines = newest(request)
    .split("\n")
    .filter((line) => line.includes(mark) && !line.startsWith("<document"))
  const text = lines.map((line) => (shouldIncludeNumbers ? line : line.replace(/\[\d+\]/g, ""))).join("\n")
  return { text: text || "NONE" }
}

/** @param undoMs how long deletions can be undone */
export async function startReadingTalk(undoMs?: number): Promise<ReadingTalk> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startModelServer((request) => talk.speak(request)))
  const box = stack.use(await startTestBox({ model: server.baseUrl }, undoMs))
  let chats = 0
  const talk: ReadingTalk = {
    box,
    server,
    speak: (request) => echo(request),
    read: () => server.requests.filter(isPart),
    combined: () => server.requests.filter((request) => newest(request).startsWith("<notes>")),

    async makeFolder(files) {
      const { vector } = await box.client.folders.create({ body: { name: "Papers" } })
      const ids: Record<string, string> = {}
      for (const [fileName, content] of Object.entries(files)) {
        const file = new Blob([typeof content === "string" ? content : new Uint8Array(content)])
        const uploaded = await box.client.files.upload({
          params: { id: vector.id },
          file,
          fileName: fileName.slice(fileName.lastIndexOf("/") + 1),
          relativePath: fileName,
        })
        ids[fileName] = uploaded.files[0]?.id ?? ""
      }
      await settled(box, vector.id)
      return { id: vector.id, files: ids }
    },

    async ask({ content, ...more }, client = box.client) {
      const messages = [{ role: "user" as const, content }]
      const body = { id: `chat-${++chats}`, messages, boxAddress: box.url, ...more }
      const events: ChatEvent[] = []
      for await (const event of client.chat.send({ body })) events.push(event)
      return answered(events)
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
  const resources = stack.move()
  return talk
}

/** Waits until every file of a folder is indexed or has failed. */
export async function settled(box: TestBox, folderId: string): Promise<void> {
  await waitFor(async () => {
    const { files } = await box.client.files.list({ params: { id: folderId }, query: { limit: 500 } })
    if (files.some(({ status }) => status === "queued" || status === "processing"))
      throw new Error("Files are being read.")
  })
}

export function answered(events: ChatEvent[]): Answered {
  const coverage = events.find((event) => event.type === "coverage")
  return {
    events,
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    sources: events.filter((event) => event.type === "source"),
    notices: events.flatMap((event) => (event.type === "notice" ? event.code : [])),
    coverage: coverage && { files: coverage.files, complete: coverage.complete },
  }
}

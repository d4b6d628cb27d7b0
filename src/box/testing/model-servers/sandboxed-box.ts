import { askInChat, type AskedInChat, startTestBox, type TestBox } from "../test-box.ts"
import { startRecordingServer, type ModelRequest } from "./model-server.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

/** Appears in the text and the name of each file, and nowhere else. */
export const canary = "cerulean-walrus"

/** A remote model's output in one round. */
export interface FarRound {
  text?: string
  call?: { name: string; args: object }
}

type Question = Omit<AskedInChat, "content"> & { content?: string }

/** A box with a model server that keeps everything it receives. */
export interface WalledBox extends AsyncDisposable {
  box: TestBox
  /** ID of the server's model. */
  far: string
  /** Everything the server received. */
  sent: string[]
  /** Returns the received texts that contain the canary. */
  leaked(): string[]
  /** Set by a test whose remote model should give more than one fixed sentence. */
  speak(request: ModelRequest): FarRound | Promise<FarRound>
  choose(role: "chat" | "embedding", modelId: string): Promise<unknown>
  addModel(path: string): Promise<string>
  /** Creates a folder with one file, and waits until the file has been read. */
  makeFolder(remote: "allowed" | "never"): Promise<string>
  /** Asks a question in a chat and continues from its stored messages. */
  ask(question: Question): ReturnType<typeof askInChat>
}

/** @param undoMs how long deletions can be undone */
export async function startWalledBox(undoMs?: number): Promise<WalledBox> {
  const box = await startTestBox({}, undoMs)
  const server = await startRecordingServer(async (path, body) => {
    if (path === "/models") return JSON.stringify({ data: [{ id: "far" }] })
    if (path === "/embeddings") return getEmbeddings(body)
    return path === "/chat/completions"
      ? getStream(await sandboxed.speak(JSON.parse(body) as ModelRequest))
      : null
  })
  const { url, received: sent } = server
  const added = await box.client.modelServers.add({ body: { name: "Far away", url } })

  const sandboxed: WalledBox = {
    box,
    far: added.server.models[0]?.id ?? "",
    sent,
    leaked: () => sent.filter((request) => request.includes(canary)),
    speak: () => ({ text: "From afar." }),
    choose: (role, modelId) => box.client.models.choose({ body: { role, modelId } }),
    addModel: async (path) => (await box.client.models.add({ body: { path } })).model.id,
    async makeFolder(remote) {
      const { vector } = await box.client.folders.create({ body: { name: "Papers", remote } })
      const file = new Blob([`The ${canary} sleeps in the harbour at noon.`])
      await box.client.files.upload({ params: { id: vector.id }, file, fileName: `${canary}.txt` })
      await waitFor(async () => {
        const { files } = await box.client.files.list({ params: { id: vector.id } })
        if (files[0]?.status !== "completed") throw new Error("The file is being read.")
      })
      return vector.id
    },
    ask: (question) => askInChat(box, { content: "Tell me who sleeps in the harbour at noon.", ...question }),

    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
  return sandboxed
}

function getEmbeddings(body: string): string {
  const { input } = JSON.parse(body) as { input: string[] }
  return JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0, index] })) })
}

function getStream({ text, call }: FarRound): string {
  const calls = call && [
    { index: 0, id: "call", function: { name: call.name, arguments: JSON.stringify(call.args) } },
  ]
  const delta = { ...(text !== undefined && { content: text }), ...(calls && { tool_calls: calls }) }
  const choices = [{ delta, finish_reason: calls ? "tool_calls" : "stop" }]
  return `data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`
}

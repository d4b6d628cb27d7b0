import { askInChat, type AskedInChat, startTestBox, type TestBox } from "../test-box.ts"
import { startSeeingServer, type SeeingServer } from "./model-server.ts"

export interface PictureTalk extends AsyncDisposable {
  box: TestBox
  server: SeeingServer
  /** IDs of the server's models. */
  ids: Record<"sees" | "blind" | "unsaid" | "small", string>
  /** Uploads a file to the chat's own folder. Returns its ID. */
  attach(chatId: string, bytes: Uint8Array, fileName: string): Promise<string>
  /** Asks a question, and returns the outcome. */
  ask(chatId: string, asked?: Partial<AskedInChat>): ReturnType<typeof askInChat>
  /** Returns the last prompt that the model received, as text. */
  lastPrompt(): string
}

/** Starts a box whose selected model is on a server and reads images. */
export async function startPictureTalk(): Promise<PictureTalk> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startSeeingServer())
  const box = stack.use(await startTestBox())
  const added = await box.client.modelServers.add({ body: { name: "Seeing", url: server.url } })
  const ids = Object.fromEntries(added.server.models.map(({ name, id }) => [name, id])) as PictureTalk["ids"]
  await box.client.models.choose({ body: { role: "chat", modelId: ids.sees } })
  return {
    box,
    server,
    ids,

    async attach(chatId, bytes, fileName) {
      const { vector } = await box.client.conversations.folder({ params: { id: chatId } })
      const file = new Blob([new Uint8Array(bytes)])
      const uploaded = await box.client.files.upload({ params: { id: vector.id }, file, fileName })
      return uploaded.files[0]?.id ?? ""
    },

    ask: (id, asked) => askInChat(box, { content: "What do you see?", ...asked, id }),

    lastPrompt: () =>
      server.requests
        .at(-1)
        ?.messages.map(({ content }) => JSON.stringify(content))
        .join("\n") ?? "",

    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

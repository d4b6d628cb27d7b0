import { askInChat, type AskedInChat } from "../ask-in-chat.ts"
import { startSeeingServer, type SeeingServer } from "./seeing-server.ts"
import { startTestBox, type TestBox } from "../test-box.ts"

export interface PictureTalk extends AsyncDisposable {
  box: TestBox
  server: SeeingServer
  /** Of the models of the server. */
  ids: Record<"sees" | "blind" | "unsaid" | "small", string>
  /** Puts a file into the chat's own folder; its id. */
  attach(chatId: string, bytes: Uint8Array, fileName: string): Promise<string>
  /** Asks, and tells what came of it. */
  ask(chatId: string, asked?: Partial<AskedInChat>): ReturnType<typeof askInChat>
  /** What the model was asked last, as text. */
  lastPrompt(): string
}

/** A box whose chosen model is on a server and sees. */
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

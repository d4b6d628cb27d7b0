import { startRecordingServer } from "./recording-server.ts"

export interface HeldEmbedder extends AsyncDisposable {
  /** The address of its model server. */
  url: string
  /** From then on, embeds every text immediately. */
  release(): void
}

/** Starts an embedding model that holds texts containing a word. Files with the word stay in progress until `release` is called. */
export async function startHeldEmbedder(word: string): Promise<HeldEmbedder> {
  const released = Promise.withResolvers<void>()
  const server = await startRecordingServer(async (path, body) => {
    if (path === "/models") return JSON.stringify({ data: [{ id: "held" }] })
    if (path !== "/embeddings") return null
    if (body.includes(word)) await released.promise
    const { input } = JSON.parse(body) as { input: string[] }
    return JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0, index] })) })
  })
  return {
    url: server.url,
    release: released.resolve,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

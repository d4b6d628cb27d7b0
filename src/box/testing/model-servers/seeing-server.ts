import { startRecordingServer, type RecordingServer } from "./recording-server.ts"

interface Part {
  type: string
  text?: string
  image_url?: { url: string }
}

export interface SeenRequest {
  messages: { role: string; content: string | Part[] | null }[]
}

export interface SeeingServer extends RecordingServer {
  /** Requests received by its models, oldest first. */
  requests: SeenRequest[]
}

/**
 * A server with four models: one that reads images, one that doesn't, one for which it isn't stated, and one that does but has a small
 * context window.
 */
export async function startSeeingServer(): Promise<SeeingServer> {
  const requests: SeenRequest[] = []
  const list = [
    { id: "sees", architecture: { input_modalities: ["text", "image"] }, max_model_len: 32_768 },
    { id: "blind", architecture: { input_modalities: ["text"] }, max_model_len: 32_768 },
    { id: "unsaid", max_model_len: 32_768 },
    { id: "small", architecture: { input_modalities: ["text", "image"] }, max_model_len: 2_048 },
  ]
  const server = await startRecordingServer((path, body) => {
    if (path === "/models") return JSON.stringify({ data: list })
    if (path !== "/chat/completions") return null
    requests.push(JSON.parse(body) as SeenRequest)
    const said = { choices: [{ delta: { content: "I see." }, finish_reason: "stop" }] }
    return `data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`
  })
  return { ...server, requests }
}

/** Returns the images in a request as they arrived. */
export const picturesSeen = (request: SeenRequest | undefined): Buffer[] =>
  (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" || content === null
      ? []
      : content.flatMap(({ image_url: image }) =>
          image ? [Buffer.from(image.url.slice(image.url.indexOf(",") + 1), "base64")] : [],
        ),
  )

import { once } from "node:events"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WebSocket } from "ws"
import { socketPath, type SocketMessage } from "../../../shared/contract/socket.ts"
import { getKey, signIn, tokenIn } from "../../testing/clients.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let box: TestBox
beforeAll(async () => {
  // The file doesn't exist, so the model fails with an error message.
  box = await startTestBox({ model: "/nowhere/of-my-own/private-model.gguf" })
})
afterAll(() => box[Symbol.asyncDispose]())

async function listen(key: string): Promise<{ heard: SocketMessage[]; socket: WebSocket }> {
  const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, { headers: { "x-api-key": key } })
  const heard: SocketMessage[] = []
  socket.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString()) as SocketMessage))
  await once(socket, "open")
  return { heard, socket }
}

// Catches local paths, mirror URLs and the owner's repositories that are revealed to every user.
it("members see a model's state, but nothing about the computer it runs on", async () => {
  const { links } = await box.client.people.add({ body: { email: "ann@example.com", name: "Ann" } })
  const key = await getKey(box.url, await signIn(box.url, tokenIn(links.local)))
  const ann = box.getClient(key)
  const member = await listen(key)
  const owner = await listen(box.key)

  await box.client.settings.update({ body: { modelMirror: "http://127.0.0.1:9" } })
  const download = { repo: "someone/Private-GGUF", file: "private.gguf" }
  await box.client.models.download({ body: download })
  await waitFor(() => expect(owner.heard.map(({ type }) => type)).toContain("model.download"))
  const { downloads } = await box.client.models.downloads()
  await box.client.models.cancelDownload({ params: { downloadId: downloads[0]?.id ?? "" } })
  await waitFor(() => expect(JSON.stringify(owner.heard)).toContain("cancelled"))
  await ann.notifications.send({ body: { title: "The last word" } })
  await waitFor(() => expect(JSON.stringify(member.heard)).toContain("The last word"))

  const messages = [{ role: "user" as const, content: "Hello?" }]
  const answer = ann.chat.send({ body: { id: "c", messages, boxAddress: box.url } })
  const failure = await answer[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error)
  const seen = JSON.stringify([member.heard, await ann.models.state(), failure, String(failure)])
  expect(member.heard.map(({ type }) => type)).not.toContain("model.download")
  expect((await ann.models.state()).chat).toMatchObject({ id: "private-model", status: "failed" })
  for (const secret of ["nowhere", "of-my-own", box.dataDir, "Private-GGUF", "127.0.0.1:9"])
    expect(seen).not.toContain(secret)
  member.socket.terminate()
  owner.socket.terminate()
})

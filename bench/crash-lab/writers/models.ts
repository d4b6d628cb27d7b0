import { copyFile, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { ensureTestModel } from "../../../src/box/engines/llama/testing/test-models.ts"
import { reader, type Desk, type Writer } from "../writer.ts"

/** Added at the start, and only chosen after that. */
const choosable = "choosable"

const installed = reader<"added">("models", async ({ client }) => {
  const { models } = await client.models.list()
  return models
    .filter(({ name }) => name !== choosable)
    .map(({ name, id }) => ({ name, id, state: "added" as const }))
})

/** The model chosen for a role. The model from the flag stays in use, so that choosing starts nothing. */
const choice = reader<{ chat: string | null }>("model choice", async ({ client }) => {
  const chat = (await client.models.list()).choice.chat.chosenId
  return [{ name: "choice", id: "choice", state: { chat } }]
})

async function makeFile({ directory }: Desk, name: string): Promise<string> {
  const path = join(directory, "models", `${name}.gguf`)
  await mkdir(join(directory, "models"), { recursive: true })
  await copyFile(ensureTestModel(), path)
  return path
}

const downloads =
  "Takes a server to download from; features/models/downloads/downloads.test.ts restarts the box while one gives its file."

export const models: Writer<"models"> = {
  async setUp(desk) {
    await desk.client.models.add({ body: { path: await makeFile(desk, choosable) } })
  },
  writes: {
    async add(desk) {
      const name = desk.name("model")
      const path = await makeFile(desk, name)
      const send = async () => ({ id: (await desk.client.models.add({ body: { path } })).model.id })
      return installed.of(desk).write({ name, after: "added", send })
    },
    tryGpuAgain: { none: "What is forgotten is found out again by itself." },
    async remove(desk) {
      const entry = desk.random.oneOf(installed.of(desk).listExisting())
      if (!entry) return false
      const send = async () => void (await desk.client.models.remove({ params: { modelId: entry.id } }))
      return installed.of(desk).write({ name: entry.name, after: null, send })
    },
    async choose(desk) {
      const { models } = await desk.client.models.list()
      const chat = desk.random() < 0.5 ? null : (models.find(({ name }) => name === choosable)?.id ?? null)
      const send = async () =>
        void (await desk.client.models.choose({ body: { role: "chat", modelId: chat } }))
      return choice.of(desk).write({ name: "choice", after: { chat }, send })
    },
    download: { none: downloads },
    pauseDownload: { none: downloads },
    resumeDownload: { none: downloads },
    cancelDownload: { none: downloads },
  },
  readers: [installed.reader, choice.reader],
}

/** Options of the model that is only chosen. */
const options = reader<{ temperature: number | null }>("model options", async ({ client }) => {
  const modelId = (await client.models.list()).models.find(({ name }) => name === choosable)?.id
  if (modelId === undefined) return []
  const { temperature } = (await client.modelOptions.read({ params: { modelId } })).options
  return temperature === null ? [] : [{ name: "options", id: modelId, state: { temperature } }]
})

export const modelOptions: Writer<"modelOptions"> = {
  writes: {
    async update(desk) {
      const modelId = (await desk.client.models.list()).models.find(({ name }) => name === choosable)?.id
      if (modelId === undefined) return false
      const after = { temperature: Math.round(desk.random() * 100) / 100 }
      const send = async () => {
        await desk.client.modelOptions.update({ params: { modelId }, body: after })
        return { id: modelId }
      }
      return options.of(desk).write({ name: "options", after, send })
    },
  },
  readers: [options.reader],
}

import { copyFile, mkdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { ensureTestEmbeddingModel, ensureTestModel } from "../../engines/llama/testing/test-models.ts"
import { createClient } from "../../../shared/client/http-client.ts"
import { startBoxProcess } from "../../testing/box-process.ts"
import { connectApp } from "../../testing/clients.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { createInstalledModels } from "./model-files.ts"
import { sha256, startHubServer } from "./testing/hub-server.ts"

const chatFile = ensureTestModel()
const otherChatFile = ensureTestModel({ reply: "Said by the other model." })

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const models = () => box.client.models
const files = async () => (await models().list()).models.filter((model) => model.kind === "local")
const add = async (path: string) => (await models().add({ body: { path } })).model
const choose = (role: "chat" | "embedding", modelId: string | null) =>
  models().choose({ body: { role, modelId } })
const answer = async () => {
  const completion = await fetch(`${box.url}/api/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  })
  return (await completion.json()) as { choices: { message: { content: string } }[]; error?: unknown }
}
const said = async () => (await answer()).choices[0]?.message.content

// Catches a choice that needs a restart or is lost in one, and a flag that is overridden or overwrites the choice.
test("a chosen model answers at once and after a restart; a flag overrides it for one run", async () => {
  const [first, second] = [await add(chatFile), await add(otherChatFile)]
  expect(first).toMatchObject({ origin: "adopted", purpose: "chat", usedAs: null })
  await choose("chat", first.id)
  expect(await said()).toBe("Hello from the scripted model.")
  const { choice } = await choose("chat", second.id)
  expect(choice.chat).toEqual({ chosenId: second.id, decidedBy: "settings", pending: false })
  expect(await said()).toBe("Said by the other model.")

  await box.restart()
  expect(await said()).toBe("Said by the other model.")
  await box.restart({ model: chatFile })
  expect(await said()).toBe("Hello from the scripted model.")
  const listed = await models().list()
  expect(listed.choice.chat).toEqual({ chosenId: second.id, decidedBy: "start", pending: true })
  expect(listed.models.find(({ id }) => id === first.id)).toMatchObject({ usedAs: "chat" })

  await box.restart()
  await choose("chat", null)
  expect(await answer()).toMatchObject({ error: { code: "no_model" } })
})

// Catches a checksum that is shown to people because another program names its files that way.
test("a model of another program is listed under its familiar name", async () => {
  const digest = "a".repeat(64)
  const blob = join(box.dataDir, "ollama", "blobs", `sha256-${digest}`)
  const manifest = join(box.dataDir, "ollama", "manifests", "registry.ollama.ai", "library", "some", "3b")
  await mkdir(dirname(blob), { recursive: true })
  await mkdir(dirname(manifest), { recursive: true })
  await copyFile(chatFile, blob)
  const layers = [{ mediaType: "application/vnd.ollama.image.model", digest: `sha256:${digest}` }]
  await writeFile(manifest, JSON.stringify({ layers }))
  vi.stubEnv("OLLAMA_MODELS", join(box.dataDir, "ollama"))
  await box.restart()
  const found = (await models().found()).models.find(({ program }) => program === "Ollama")
  expect(found).toMatchObject({ name: "some:3b", path: blob })
  await choose("chat", (await add(blob)).id)
  expect((await models().found()).models.filter(({ program }) => program === "Ollama")).toEqual([])
  expect((await models().state()).chat?.id).toBe("some:3b")
  await box.restart()
  expect((await models().state()).chat?.id).toBe("some:3b")
  vi.unstubAllEnvs()
})

// Catches the deletion of files that don't belong to the server or that it is using.
test("forgets an added file and deletes a downloaded one, but not a file in use", async () => {
  const directory = join(box.dataDir, "models", "someone", "some-model")
  await mkdir(directory, { recursive: true })
  const own = join(directory, "own.gguf")
  await copyFile(chatFile, own)
  const added = await add(otherChatFile)
  const downloaded = (await files()).find(({ path }) => path === own)
  expect(downloaded).toMatchObject({ name: "own", origin: "downloaded" })
  if (!downloaded) return

  await choose("chat", downloaded.id)
  const remove = (modelId: string) => models().remove({ params: { modelId } })
  await expect(remove(downloaded.id)).rejects.toMatchObject({ code: "conflict" })
  await choose("chat", null)
  await remove(downloaded.id)
  await expect(stat(own)).rejects.toThrow("ENOENT")
  await remove(added.id)
  await stat(otherChatFile)
  expect((await models().list()).models).toEqual([])
})

// Catches a person's own file that is listed as downloaded, or deleted, because a link leads to it. Also catches circular links that are
// followed 2^40 times.
test("doesn't follow links in the models directory, and deletes nothing through them", async () => {
  const [mine, here] = [join(box.dataDir, "my-models"), join(box.dataDir, "models")]
  for (const directory of [mine, join(here, "someone")]) {
    await mkdir(directory, { recursive: true })
    await copyFile(chatFile, join(directory, "big.gguf"))
  }
  await symlink(mine, join(here, "mine"))
  await symlink(join(mine, "big.gguf"), join(here, "big.gguf"))
  for (const name of ["a", "b"]) await symlink(".", join(here, name))
  const listed = await files()
  expect(listed.map(({ path }) => path)).toEqual([join(here, "someone", "big.gguf")])

  const installed = createInstalledModels(here, {
    adopted: () => Promise.resolve([]),
    setAdopted: () => Promise.resolve(),
  })
  const [own] = await installed.list()
  await rename(join(here, "someone"), join(here, "elsewhere"))
  await symlink(mine, join(here, "someone"))
  if (own) await expect(installed.remove(own)).rejects.toMatchObject({ code: "not_found" })
  await stat(join(mine, "big.gguf"))
})

// Catches files that turn out not to be models only when they are loaded, and models in the wrong role.
test("accepts only usable models, and gives the reason for a refusal", async () => {
  const noModel = join(box.dataDir, "notes.gguf")
  await writeFile(noModel, "These are notes.")
  for (const path of [noModel, join(box.dataDir, "missing.gguf"), "relative.gguf", box.dataDir]) {
    await expect(add(path)).rejects.toMatchObject({ code: "validation", details: [{ field: "path" }] })
  }
  const embedding = await add(ensureTestEmbeddingModel())
  expect(embedding.purpose).toBe("embedding")
  await expect(choose("chat", embedding.id)).rejects.toMatchObject({ code: "unprocessable" })
  await expect(choose("chat", "unknown")).rejects.toMatchObject({ code: "not_found" })
})

// Catches ordinary users who see the computer's files, or make the server fetch and load models.
test("only owners see and change models; everyone sees their state", async () => {
  const member = await addUser(box, "ann@example.com")
  const client = member.models
  const params = { downloadId: "x", modelId: "x" }
  const calls = [
    () => client.list(),
    () => client.catalogue(),
    () => client.found(),
    () => client.downloads(),
    () => client.add({ body: { path: chatFile } }),
    () => client.remove({ params }),
    () => client.choose({ body: { role: "chat", modelId: null } }),
    () => client.download({ body: { catalogueId: "qwen3-0.6b" } }),
    () => client.pauseDownload({ params }),
    () => client.resumeDownload({ params }),
    () => client.cancelDownload({ params }),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "forbidden" })
  expect(await client.state()).toEqual({ chat: null, embedding: null, rerank: null })
})

// Catches a catalogue that can't be extended, a mirror that isn't used, progress that isn't reported, and a forgotten request to use the
// model.
test("downloads a model of the owner's catalogue from a mirror, reports progress, and uses it", async () => {
  const file = await readFile(chatFile)
  await using hub = await startHubServer(file)
  await writeFile(
    join(box.dataDir, "models.json"),
    JSON.stringify({
      models: [
        {
          id: "ours",
          name: "Ours",
          purpose: "chat",
          repo: "us/ours",
          file: "ours.gguf",
          licence: "MIT",
          sizeBytes: file.length,
          sha256: sha256(file),
          contextSize: 4_096,
          memoryBytes: 1,
          languages: ["en"],
        },
      ],
    }),
  )
  await box.client.settings.update({ body: { modelMirror: hub.url } })
  const offered = await models().catalogue()
  expect(offered.models[0]).toMatchObject({
    id: "ours",
    memoryFit: "fits",
    recommended: true,
    installedId: null,
  })
  using app = await connectApp(box.url, box.key)
  await models().download({ body: { catalogueId: "ours", use: true } })
  let news = await app.next("model.download")
  while (news.download.status !== "done") news = await app.next("model.download")
  const { modelId } = news.download
  expect((await models().catalogue()).models[0]).toMatchObject({ installedId: modelId })
  expect((await models().list()).choice.chat).toMatchObject({ chosenId: modelId })
  expect(await said()).toBe("Hello from the scripted model.")
})

// Catches a download that replaces the model that someone chose in the meantime.
test("a model requested for use doesn't take a role that another model has in the meantime", async () => {
  await using hub = await startHubServer(await readFile(otherChatFile))
  await box.client.settings.update({ body: { modelMirror: hub.url } })
  const chosen = await add(chatFile)
  await choose("chat", chosen.id)
  using app = await connectApp(box.url, box.key)
  await models().download({ body: { repo: "us/other", file: "other.gguf", use: true } })
  let news = await app.next("model.download")
  while (news.download.status !== "done") news = await app.next("model.download")
  expect((await models().list()).choice.chat).toMatchObject({ chosenId: chosen.id })
})

test("reports what is wrong in the owner's catalogue", async () => {
  await writeFile(join(box.dataDir, "models.json"), JSON.stringify({ models: [{ id: "Ours" }] }))
  await expect(models().catalogue()).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringContaining("models.0.repo") as string,
  })
})

// Catches names that lead to another location, and a refusal that doesn't say what to change.
test.each([
  ["repo", { repo: "../up", file: "x.gguf" }],
  ["repo", { repo: "one", file: "x.gguf" }],
  ["file", { repo: "a/b", file: "../x.gguf" }],
  ["file", { repo: "a/b", file: "x.bin" }],
  ["file", { repo: "a/b", file: "x-00001-of-00002.gguf" }],
  ["revision", { repo: "a/b", file: "x.gguf", revision: "../main" }],
  ["", { repo: "a/b" }],
  ["", { repo: "a/b", file: "x.gguf", catalogueId: "qwen3-0.6b" }],
])("refuses to download with a wrong %s: %o", async (field, body) => {
  const refused = models().download({ body })
  await expect(refused).rejects.toMatchObject({ code: "validation", details: [{ field }] })
})

// Catches a download that is forgotten or started over when the server is killed.
test("a download resumes after the server was killed", async () => {
  const file = await readFile(chatFile)
  await using hub = await startHubServer(file)
  hub.faults = [{ after: Math.floor(file.length / 2), by: "silence" }]
  const dataDir = join(box.dataDir, "another")
  const killed = await startBoxProcess(dataDir)
  const key = killed.firstRunKey ?? ""
  const client = createClient({ baseUrl: killed.url, headers: { "x-api-key": key } })
  await client.settings.update({ body: { modelMirror: hub.url } })
  const faulted = hub.faulted()
  await client.models.download({ body: { repo: "us/ours", file: "ours.gguf" } })
  await faulted
  const arrived = async () => (await client.models.downloads()).downloads[0]?.receivedBytes
  await expect.poll(arrived).toBeGreaterThan(0)
  await killed.stop("SIGKILL")

  const restarted = await startBoxProcess(dataDir)
  using app = await connectApp(restarted.url, key)
  const { models: listed } = await createClient({
    baseUrl: restarted.url,
    headers: { "x-api-key": key },
  }).models.list()
  if (listed.length === 0) {
    let news = await app.next("model.download")
    while (news.download.status !== "done") news = await app.next("model.download")
  }
  expect(hub.contentRequests[1]?.range).toMatch(/^bytes=[1-9]/)
  expect(await readFile(join(dataDir, "models", "us", "ours", "ours.gguf"))).toEqual(file)
  expect(await restarted.stop()).toBe(0)
})

import { copyFile, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureTestEmbeddingModel, ensureTestRankingModel } from "../../engines/llama/testing/test-models.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

const model = ensureTestEmbeddingModel()
/** This model has other synonyms, and its vectors have another length. */
const otherModel = ensureTestEmbeddingModel([
  ["walrus", "airplane"],
  ["cat", "hammer"],
])

/** Its vectors are as long as the first model's. */
const sameLength = ensureTestEmbeddingModel([
  ["walrus", "airplane"],
  ["cat", "hammer"],
  ["tree", "cloud"],
  ["river", "paper"],
])

let box: TestBox
let folder: string
beforeEach(async () => {
  box = await startTestBox()
  folder = (await box.client.folders.create({ body: { name: "Notes" } })).vector.id
  await upload("animals.txt", "The feline sleeps.")
  await upload("tools.txt", "The hammer is heavy.")
})
afterEach(() => box[Symbol.asyncDispose]())

const upload = (fileName: string, text: string) =>
  box.client.files.upload({ params: { id: folder }, file: new Blob([text]), fileName })
const choose = async (path: string | null) => {
  const modelId = path && (await box.client.models.add({ body: { path } })).model.id
  return box.client.models.choose({ body: { role: "embedding", modelId } })
}
const find = async (query: string) => {
  const found = await box.client.folders.search({ body: { query, vector: [folder], strategy: "hybrid" } })
  return { first: found.results[0]?.fileName, notices: found.notices.map(({ code }) => code) }
}
/** Each of these tests replaces the model several times. */
const patient = { timeout: 480_000 }
/** Polls, because indexing and embedding continue in the background. On a busy computer, a model's process takes long to start. */
const finds = (query: string, first: string | undefined) =>
  expect.poll(async () => (await find(query)).first, { timeout: 150_000 }).toBe(first)

// Catches a choice that needs a restart, vectors that are compared with another model's, files that are lost while the model is replaced,
// and a model that stays loaded when none is chosen.
test("uses another embedding model at once and embeds indexed files again", patient, async () => {
  await finds("feline", "animals.txt")
  expect(await find("cat")).toMatchObject({ first: undefined, notices: ["no_embedding_model"] })

  const choosing = choose(model)
  await upload("late.txt", "The vehicle waits.") // arrives while the model is replaced
  expect((await choosing).choice.embedding).toMatchObject({ decidedBy: "settings", pending: false })
  expect((await box.client.models.state()).embedding).toMatchObject({ kind: "local" })
  await finds("cat", "animals.txt")
  await finds("car", "late.txt")

  await choose(otherModel)
  await finds("cat", "tools.txt")
  await box.restart()
  await finds("cat", "tools.txt")

  await choose(null)
  expect((await box.client.models.state()).embedding).toBeNull()
  expect((await find("cat")).notices).toContain("no_embedding_model")
  await finds("feline", "animals.txt")
})

// Catches vectors that are mistaken for another model's because the model files have the same name.
test("treats a model with the same name as another model", patient, async () => {
  const names = [join(box.dataDir, "a", "model.gguf"), join(box.dataDir, "b", "model.gguf")]
  for (const [index, source] of [model, sameLength].entries()) {
    await mkdir(dirname(names[index] ?? ""), { recursive: true })
    await copyFile(source, names[index] ?? "")
  }
  await choose(names[0] ?? null)
  await finds("cat", "animals.txt")
  await choose(names[1] ?? null)
  await finds("cat", "tools.txt")
})

// Catches prompts that are applied to only some texts, such as those read first or those already stored.
test(
  "applies a changed prompt of the model's family to questions and to stored passages",
  patient,
  async () => {
    const families = (family: object) =>
      writeFile(
        join(box.dataDir, "models.json"),
        JSON.stringify({ embeddingFamilies: [{ names: ["test-embeddings"], ...family }] }),
      )
    await choose(model)
    await finds("cat", "animals.txt")
    await families({ query: "payment " })
    await box.restart()
    await upload("bill.txt", "An invoice.")
    await finds("zebra", "bill.txt") // only the prompt is similar to it
    await families({ document: "payment " })
    await box.restart()
    const getScore = async (fileName: string) => {
      const body = { query: "invoice", vector: [folder], strategy: "semantic" as const }
      const { results } = await box.client.folders.search({ body })
      return results.find((passage) => passage.fileName === fileName)?.score ?? 0
    }
    await expect.poll(() => getScore("tools.txt")).toBeGreaterThan(0.2)
  },
)

// Catches a search, an upload or a deletion that fails while a model is replaced, and replacements that overlap.
test("keeps searches, uploads and deletions working while models are replaced", patient, async () => {
  await finds("feline", "animals.txt")
  const exchanges = [choose(model), choose(otherModel), choose(null), choose(model)]
  const searches = Array.from({ length: 10 }, () => find("feline"))
  await upload("late.txt", "An automobile, just in time.")
  const { files } = await box.client.files.list({ params: { id: folder } })
  const gone = files.find(({ name }) => name === "animals.txt")
  await Promise.all(exchanges)
  expect((await Promise.all(searches)).map(({ first }) => first)).toEqual(searches.map(() => "animals.txt"))
  await box.client.files.remove({ params: { id: folder, fileId: gone?.id ?? "" } })
  expect((await find("feline")).first).not.toBe("animals.txt")
  await finds("car", "late.txt")
})

// Catches a choice that needs a restart or is lost by one, and a ranking that doesn't come from the model.
test("uses a reranking model at once and until another choice", patient, async () => {
  await upload("zebra.txt", "The striped animal: a zebra. The striped animal is wild.")
  await upload(
    "walrus.txt",
    "The animal with tusks, which is not a striped one, is a walrus and lives in the sea.",
  )
  await finds("striped animal", "zebra.txt")
  const { models } = box.client
  const { id } = (await models.add({ body: { path: ensureTestRankingModel() } })).model
  await expect(models.choose({ body: { role: "chat", modelId: id } })).rejects.toMatchObject({
    code: "unprocessable",
  })
  expect((await models.choose({ body: { role: "rerank", modelId: id } })).choice.rerank.chosenId).toBe(id)
  await finds("striped animal", "walrus.txt")
  expect((await models.state()).rerank).toMatchObject({ status: "ready" })
  await box.restart()
  await finds("striped animal", "walrus.txt")
  await box.client.models.choose({ body: { role: "rerank", modelId: null } })
  await finds("striped animal", "zebra.txt")
  expect((await box.client.models.state()).rerank).toBeNull()
})

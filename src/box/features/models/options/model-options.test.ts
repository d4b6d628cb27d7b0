import { afterEach, beforeEach, expect, test } from "vitest"
import type { ModelOptionsPatch } from "../../../../shared/contract/models.ts"
import { ensureTestEmbeddingModel, ensureTestModel } from "../../../engines/llama/testing/test-models.ts"
import { startModelServer } from "../../../testing/model-servers/model-server.ts"
import { addUser, startTestBox, type TestBox } from "../../../testing/test-box.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const add = async (path: string) => (await box.client.models.add({ body: { path } })).model.id
const read = (modelId: string) => box.client.modelOptions.read({ params: { modelId } })
const update = (modelId: string, body: ModelOptionsPatch) =>
  box.client.modelOptions.update({ params: { modelId }, body })
const ask = (body: object) =>
  fetch(`${box.url}/api/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], ...body }),
  }).then((answer) => answer.json())
const getState = async () => (await box.client.models.state()).chat

const untouched = {
  contextSize: null,
  temperature: null,
  topP: null,
  minP: null,
  maxTokens: null,
  thinking: null,
  thinkingTokens: null,
  device: null,
  unloadAfterMinutes: 30,
  vision: null,
}

// Catches options that are lost in a restart, that change other options, or that a running model ignores.
test("options are the model's defaults until an owner sets them, and survive a restart", async () => {
  const id = await add(ensureTestModel({ contextSize: 4096, reply: "Yes." }))
  const { options, cost, speeds } = await read(id)
  expect(options).toEqual(untouched)
  expect(cost).toMatchObject({ trained: 4096, largest: 4096, usual: 4096, usualAtOnce: 4 })
  expect(cost?.together).toBeGreaterThanOrEqual(4 * 4096)
  expect(speeds).toEqual([])
  await box.client.models.choose({ body: { role: "chat", modelId: id } })
  await expect.poll(async () => (await getState())?.status).toBe("ready")
  expect((await getState())?.contextSize).toBe(4096)

  const set = { contextSize: 1024, temperature: 0.2, unloadAfterMinutes: null }
  expect((await update(id, set)).options).toEqual({ ...untouched, ...set })
  await expect.poll(async () => (await getState())?.contextSize).toBe(1024)
  await box.restart()
  expect((await read(id)).options).toEqual({ ...untouched, ...set })
  expect((await update(id, { temperature: null })).options).toMatchObject({
    temperature: null,
    contextSize: 1024,
  })
})

// Catches impossible values that are accepted, and refusals that don't say what is possible.
test("impossible values are refused, with the possible ones", async () => {
  const id = await add(ensureTestModel({ contextSize: 4096, reply: "Yes." }))
  const wrong: [ModelOptionsPatch, string][] = [
    [{ contextSize: 4097 }, "contextSize"],
    [{ contextSize: 511 }, "contextSize"],
    [{ temperature: 2.1 }, "temperature"],
    [{ topP: -0.1 }, "topP"],
    [{ minP: 1.1 }, "minP"],
    [{ maxTokens: 0 }, "maxTokens"],
    [{ thinkingTokens: -1 }, "thinkingTokens"],
    [{ unloadAfterMinutes: -1 }, "unloadAfterMinutes"],
    [{ vision: true }, "vision"],
  ]
  for (const [body, field] of wrong)
    await expect(update(id, body)).rejects.toMatchObject({ code: "validation", details: [{ field }] })
  await expect(update(id, { contextSize: 4097 })).rejects.toThrow("4,096")
  expect((await read(id)).options).toEqual(untouched)
  await expect(read("nobody-has-this")).rejects.toMatchObject({ code: "not_found" })
  await expect(read(await add(ensureTestEmbeddingModel()))).rejects.toMatchObject({ code: "unprocessable" })
  const member = await addUser(box, "ann@example.com")
  await expect(member.modelOptions.read({ params: { modelId: id } })).rejects.toMatchObject({
    code: "forbidden",
  })
})

// Catches options that aren't sent for a server's model, or that override the request.
test("requests to a server's model include its options unless the request sets them", async () => {
  await using server = await startModelServer(() => ({ text: "Yes." }))
  const { models } = (await box.client.modelServers.add({ body: { name: "Ours", url: server.baseUrl } }))
    .server
  const id = models[0]?.id ?? ""
  await expect(update(id, { device: "cpu" })).rejects.toMatchObject({ details: [{ field: "device" }] })
  expect((await read(id)).options.unloadAfterMinutes).toBeNull()
  await update(id, { temperature: 0.1, topP: 0.5, maxTokens: 99, thinking: "off", vision: true })
  await box.client.models.choose({ body: { role: "chat", modelId: id } })
  await ask({})
  await ask({ temperature: 1, reasoning_effort: "high" })
  expect(server.requests).toMatchObject([
    { temperature: 0.1, top_p: 0.5, max_tokens: 99, reasoning_effort: "none" },
    { temperature: 1, top_p: 0.5, max_tokens: 99, reasoning_effort: "high" },
  ])
})

// Catches speeds that are never measured, or stored for a model other than the one that answered.
test("a model's speed is measured from its answers", async () => {
  const id = await add(ensureTestModel({ reply: "One two three four five six seven eight nine ten eleven." }))
  const other = await add(ensureTestModel({ contextSize: 4096, reply: "Yes." }))
  await box.client.models.choose({ body: { role: "chat", modelId: id } })
  await ask({})
  const { speeds } = await read(id)
  expect(speeds).toMatchObject([{ runsOn: "processor", promptTokensPerSecond: null }])
  expect(speeds[0]?.tokensPerSecond).toBeGreaterThan(0)
  expect((await read(other)).speeds).toEqual([])
})

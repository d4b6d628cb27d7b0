import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk"
import OpenAI, { APIError as OpenAiError } from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  gifBytes,
  jpegBytes,
  pngClaiming,
  quarteredPicture,
  quartersIn,
} from "../../parsers/testing/picture-bytes.ts"
import {
  picturesSeen,
  startSeeingServer,
  type SeeingServer,
} from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

const secret = "N45.4642-E9.1900"
const question = "What is this?"
/** A rotated photo that contains its location and is larger than the images that models receive. */
const photograph = jpegBytes(quarteredPicture(2_000, 1_000), secret, 6)
const upright = ["blue", "red", "green", "grey"]

let server: SeeingServer
let box: TestBox
let openai: OpenAI
let anthropic: Anthropic
/** IDs of the server's models. */
let ids: Record<"sees" | "blind" | "unsaid", string>
/** Number of requests to an address given in a request. */
let fetched = 0
let sink = ""
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  server = stack.use(await startSeeingServer())
  box = stack.use(await startTestBox())
  openai = new OpenAI({ baseURL: `${box.url}/api/v1`, apiKey: box.key, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: `${box.url}/api`, apiKey: box.key, maxRetries: 0 })
  const added = await box.client.modelServers.add({ body: { name: "Seeing", url: server.url } })
  ids = Object.fromEntries(added.server.models.map(({ name, id }) => [name, id])) as typeof ids
  const pictures = createServer((_, response) => {
    fetched++
    response.end(photograph)
  }).listen(0, "127.0.0.1")
  await once(pictures, "listening")
  stack.defer(() => void pictures.close())
  sink = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/picture.jpg`
})
afterAll(() => stack.disposeAsync())

const dataUrl = (bytes: Buffer, type = "image/jpeg") => `data:${type};base64,${bytes.toString("base64")}`

const doors = {
  completions: (url: string, model: string) =>
    openai.chat.completions.create({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: question },
            { type: "image_url", image_url: { url, detail: "high" } },
            { type: "text", text: "Be brief." },
          ],
        },
      ],
    }),
  responses: (url: string, model: string) =>
    openai.responses.create({
      model,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: question },
            { type: "input_image", image_url: url, detail: "auto" },
            { type: "input_text", text: "Be brief." },
          ],
        },
      ],
    }),
  messages: (url: string, model: string) => {
    const [head = "", data = ""] = url.split(",")
    const type = /^data:([^;]*)/.exec(head)?.[1]
    const source = type
      ? { type: "base64" as const, media_type: type as "image/png", data }
      : { type: "url" as const, url }
    return anthropic.messages.create({
      model,
      max_tokens: 50,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: question },
            { type: "image", source },
            { type: "text", text: "Be brief." },
          ],
        },
      ],
    })
  },
}
type Door = keyof typeof doors
const fields: Record<Door, string> = {
  completions: "messages[0].content[1]",
  responses: "input[0].content[1]",
  messages: "messages[0].content[1]",
}

async function refusal(
  answer: Promise<unknown>,
): Promise<{ status: unknown; code: unknown; param: unknown }> {
  const error: unknown = await answer.then(
    () => new Error("It was accepted."),
    (cause: unknown) => cause,
  )
  if (error instanceof OpenAiError) return { status: error.status, code: error.code, param: error.param }
  if (!(error instanceof AnthropicError)) throw error
  const { error: inner } = error.error as { error: { code: string; param: string } }
  return { status: error.status, code: inner.code, param: inner.param }
}

describe.each(Object.keys(doors) as Door[])("an image sent through %s", (door) => {
  // Catches an image that is sent unchanged: rotated, large and with its location, and parts that are out of order.
  test("reaches a vision model upright, smaller and without metadata", async () => {
    await doors[door](dataUrl(photograph), ids.sees)
    const request = server.requests.at(-1)
    const [picture = Buffer.alloc(0)] = picturesSeen(request)
    expect(picture.includes(secret)).toBe(false)
    expect(quartersIn(picture)).toEqual(upright)
    expect(picture.byteLength).toBeLessThan(photograph.byteLength)
    const content = request?.messages.at(-1)?.content
    expect(Array.isArray(content) && content.map(({ type }) => type)).toEqual(["text", "image_url", "text"])
    expect(server.received.some((text) => text.includes(secret))).toBe(false)
  })

  // Catches a model that receives content it doesn't support, and an error that doesn't name the part.
  test.each(["blind", "unsaid"] as const)("is refused for a model that is %s", async (name) => {
    const before = server.requests.length
    expect(await refusal(doors[door](dataUrl(photograph), ids[name]))).toEqual({
      status: 400,
      code: "unsupported_content",
      param: fields[door],
    })
    expect(server.requests).toHaveLength(before)
  })

  // Catches an address in a request that makes the box contact another server.
  test("is never fetched from another address", async () => {
    for (const url of [sink, "file:///etc/passwd"]) {
      const error = await refusal(doors[door](url, ids.sees))
      expect(error).toMatchObject({ status: 400, param: fields[door] })
    }
    expect(fetched).toBe(0)
  })

  // Catches an image that crashes the box or causes an internal error.
  test.each([
    ["of 3,600 million pixels", pngClaiming(60_000, 60_000)],
    ["that is cut off", photograph.subarray(0, 3_000)],
    ["that is a document", Buffer.from("%PDF-1.7 with nothing in it")],
    ["that is animated", gifBytes(3)],
    ["of 21 MB", Buffer.concat([photograph, Buffer.alloc(21_000_000)])],
    ["of nothing", Buffer.alloc(0)],
  ])("%s is refused, and the box keeps running", async (_, bytes) => {
    const error = await refusal(doors[door](dataUrl(bytes, "image/png"), ids.sees))
    expect(error).toEqual({ status: 400, code: "unsupported_content", param: fields[door] })
    await expect(doors[door](dataUrl(gifBytes(1), "image/gif"), ids.sees)).resolves.toBeTruthy()
  })
})

// Catches an owner's setting for a model that takes effect only after a restart.
test("applies an owner's vision setting for a model immediately", async () => {
  const set = (vision: boolean | null) =>
    box.client.modelOptions.update({ params: { modelId: ids.unsaid }, body: { vision } })
  await set(true)
  await doors.completions(dataUrl(photograph), ids.unsaid)
  expect(picturesSeen(server.requests.at(-1))).toHaveLength(1)
  await set(null)
  expect(await refusal(doors.completions(dataUrl(photograph), ids.unsaid))).toMatchObject({ status: 400 })
})

// Catches images lost from tool results, which coding programs rely on.
test("passes images in tool results to the model and counts them as tokens", async () => {
  const messages: Anthropic.MessageParam[] = [
    { role: "user", content: "Look at it." },
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input: {} }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "call_1",
          content: [
            { type: "text", text: "Here it is." },
            {
              type: "image",
              source: { type: "base64", media_type: "image/jpeg", data: photograph.toString("base64") },
            },
          ],
        },
      ],
    },
  ]
  const request = {
    model: ids.sees,
    messages,
    tools: [{ name: "look", input_schema: { type: "object" as const } }],
  }
  await anthropic.messages.create({ ...request, max_tokens: 50 })
  const sent = server.requests.at(-1)
  expect(sent?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"])
  expect(picturesSeen(sent)).toHaveLength(1)
  const counted = await anthropic.messages.countTokens(request)
  expect(counted.input_tokens).toBeGreaterThan(1_000)
  expect(counted.input_tokens).toBeLessThan(3_000)
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { ensureTestModel } from "../../../../engines/llama/testing/test-models.ts"
import { startTestBox, type TestBox } from "../../../../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox({ model: ensureTestModel() })
})
afterAll(() => box[Symbol.asyncDispose]())

const filler = "Every word counts here. "

async function getError(id: string, content: string, assistantId?: string): Promise<string> {
  const body = { id, boxAddress: box.url, messages: [{ role: "user" as const, content }] }
  for await (const event of box.client.chat.send({ body: { ...body, assistantId } })) {
    if (event.type === "error") return event.error
  }
  return "none"
}

async function getRawError(messages: { role: string; content: string }[]): Promise<string> {
  const answer = await fetch(`${box.url}/api/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ messages }),
  })
  expect(answer.status).toBe(400)
  const { error } = (await answer.json()) as { error: { message: string; param: string } }
  expect(error.param).toBe("messages")
  return error.message
}

// Catches an error that makes a user shorten a short question when the assistant's instructions are too long.
test("reports which part of a prompt is too long, with sizes", async () => {
  const { assistant } = await box.client.assistants.create({
    body: { name: "Wordy", instructions: filler.repeat(4_000) },
  })
  expect(await getError("a", "Hello?", assistant.id)).toMatch(
    /^The question needs \d+,\d{3} tokens, but the context window of this model has [\d,]+\. The instructions alone need \d+,\d{3}\./,
  )
  expect(await getError("b", filler.repeat(4_000))).toMatch(
    /^The question needs \d+,\d{3} tokens, but the context window of this model has [\d,]+\. The message alone needs \d+,\d{3}\./,
  )
})

test("does the same when the model is called directly", async () => {
  const long = filler.repeat(4_000)
  const user = (content: string) => ({ role: "user", content })
  expect(await getRawError([user(long)])).toMatch(/The message alone needs \d+,\d{3}\./)
  expect(await getRawError([{ role: "system", content: long }, user("Hello?")])).toMatch(
    /The instructions alone need \d+,\d{3}\./,
  )
})

import { expect, test } from "vitest"
import { testModelPath } from "../../../testing/chat-server.ts"
import { startTestBox } from "../../../testing/test-box.ts"
import { collect, of, getText } from "../testing/tool-talk.ts"

// Catches tools that are listed but not connected, and a broken link between a box's model, its policy and a real tool.
test("lists its tools correctly, and an assistant calculates", async () => {
  await using box = await startTestBox({ model: testModelPath() })
  const { tools } = await box.client.tools.list()
  const linked = new Map(tools.map(({ key, linked }) => [key, linked]))
  expect(linked.get("calculate")).toBe(true)
  expect(linked.get("assistant")).toBe(true)
  expect(linked.get("int_gmail")).toBe(false)

  const draft = { name: "Counter", builtInTools: { calculate: true, int_gmail: true } }
  const { assistant } = await box.client.assistants.create({ body: draft })
  const messages = [{ role: "user" as const, content: "What is 2+2?" }]
  const body = { id: "sum", messages, boxAddress: box.url, assistantId: assistant.id }
  const events = await collect(box.client.chat.send({ body }))
  expect(of(events, "tool-call")).toMatchObject([{ toolName: "calculate", args: { expression: "2+2" } }])
  expect(JSON.stringify(of(events, "tool-result")[0]?.result)).toContain("4")
  expect(getText(events)).toBe("The answer is 4.")

  await box.client.assistants.update({ params: { id: assistant.id }, body: { permissionMode: "ask" } })
  const asked = await collect(box.client.chat.send({ body: { ...body, id: "again" } }))
  expect(of(asked, "tool-approval-request")).toMatchObject([{ toolName: "calculate", reasonCode: "mode" }])
})

// Catches an answer attributed to an assistant that the chat switched to only later.
test("stores with each answer which assistant wrote it", async () => {
  await using box = await startTestBox({ model: testModelPath() })
  const { assistant } = await box.client.assistants.create({ body: { name: "Greeter" } })
  const ask = (contents: string[], assistantId: string | null) => {
    const messages = contents.map((content, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content,
    }))
    return collect(
      box.client.chat.send({ body: { id: "turns", messages, boxAddress: box.url, assistantId } }),
    )
  }
  const first = getText(await ask(["Greet me."], assistant.id))
  const read = async () => (await box.client.conversations.read({ params: { id: "turns" } })).chat
  expect((await read()).assistantId).toBe(assistant.id)
  await ask(["Greet me.", first, "Greet me."], null)
  const { assistantId, messages } = await read()
  expect(assistantId).toBeNull()
  expect(messages.map((message) => message.assistantId)).toEqual([null, assistant.id, null, null])
})

import { expect } from "vitest"
import type { ModelRequest, Round } from "./model-servers/model-server.ts"
import type { TestBox } from "./test-box.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"

/**
 * Scripts the model for `makeWorld`. If tools are available, it creates a file and tries to save a memory. It says the canary only to those
 * whose chat mentions it.
 */
export function worldModel(canary: string): (request: ModelRequest) => Round {
  return ({ messages, tools }) => {
    const word = JSON.stringify(messages).includes(canary) ? canary : "nothing"
    const code = `open("${word}.txt", "w").write("${word}")`
    return tools && messages.at(-1)?.role === "user"
      ? {
          calls: [
            { name: "codeInterpreter", args: { code } },
            { name: "memory", args: { action: "remember", text: word }, id: "call_that_waits" },
          ],
        }
      : { text: `${word} [1]` }
  }
}

/**
 * Creates for the owner a folder with a document, an answer that cites it, an answer that awaits approval and has created a file, and one
 * of everything else. All of it contains the canary. Returns the IDs.
 */
export async function makeWorld(box: TestBox, canary: string): Promise<Record<string, string>> {
  const { client } = box
  const { vector } = await client.folders.create({ body: { name: canary } })
  const file = new Blob([`The ${canary} word.`])
  await client.files.upload({ params: { id: vector.id }, file, fileName: `${canary}.txt` })
  const fileId = await waitFor(async () => {
    const [found] = (await client.files.list({ params: { id: vector.id } })).files
    expect(found?.status).toBe("completed")
    return found?.id ?? ""
  })
  const { results } = await client.folders.search({ body: { query: canary, vector: [vector.id] } })
  const builtInTools = { codeInterpreter: true, memory: true }
  const { assistant } = await client.assistants.create({ body: { name: canary, builtInTools } })
  const ask = async (id: string, more: { assistantId?: string; vector?: string[] }) => {
    const messages = [{ role: "user" as const, content: `What is ${canary}?` }]
    const body = { id, messages, boxAddress: box.url, ...more }
    for await (const event of client.chat.send({ body })) if (event.type === "finish") break
    return (await client.conversations.read({ params: { id } })).chat.messages.at(-1)
  }
  const cited = await ask(`${canary}-cited`, { vector: [vector.id] })
  const waiting = await ask(`${canary}-waiting`, { assistantId: assistant.id })
  const made = waiting?.parts.find((part) => part.type === "file")
  const { project } = await client.projects.create({ body: { name: canary, vectorIds: [vector.id] } })
  const { automation } = await client.automations.create({
    body: { name: canary, prompt: canary, trigger: { kind: "manual" }, vectorIds: [vector.id] },
  })
  const { filing } = await client.filing.file({
    body: { action: "tag", fileId, tags: [canary.slice(0, 40)] },
  })
  const { question } = await client.questions.ask({
    body: { title: canary, choices: [canary, "No"], expiresInSeconds: 3_600 },
  })
  const { memory } = await client.memory.remember({ body: { text: canary } })
  const { notification } = await client.notifications.send({ body: { title: canary } })
  const { apiKey } = await client.keys.create({ body: { name: canary } })
  const command = { kind: "command" as const, command: canary }
  const { integration } = await client.integrations.add({ body: { name: canary, target: command } })
  const { ticket } = await client.support.create({ body: { title: canary, description: canary } })
  await client.storage.startBackup()
  await waitFor(async () => expect((await client.storage.backup()).backup?.status).toBe("completed"))
  // The box notifies about the folder when indexing is done; after that, nothing changes by itself.
  await waitFor(async () => {
    const { notifications } = await client.notifications.list({ query: {} })
    expect(notifications.map(({ news }) => news?.kind)).toContain("folder_indexed")
  })
  const { entry } = await client.queue.add({
    params: { id: `${canary}-waiting` },
    body: { content: `And what of ${canary}?` },
  })
  const { user } = await client.account.me()
  const deleted = await client.assistants.create({ body: { name: `${canary} deleted` } })
  const { undo } = await client.assistants.remove({ params: { id: deleted.assistant.id } })
  return {
    folder: vector.id,
    file: fileId,
    passage: results[0]?.id ?? "",
    assistant: assistant.id,
    citedChat: `${canary}-cited`,
    citedMessage: cited?.id ?? "",
    waitingChat: `${canary}-waiting`,
    waitingQuestion: entry.id,
    madeFile: made?.fileId ?? "",
    project: project.id,
    automation: automation.id,
    filing: filing.id,
    question: question.id,
    memory: memory.id,
    notification: notification.id,
    key: apiKey.id,
    server: integration.key,
    report: ticket.id,
    consent: integration.consent ?? "",
    user: user.id,
    undo: undo.token,
  }
}

import { mkdirSync } from "node:fs"
import { startModelServer, type Round } from "../src/box/testing/model-servers/model-server.ts"
import { scriptedServer, tool } from "../src/box/tools/mcp/testing/mcp-servers.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

// Catches a plain chat that has tools by default, needs an assistant to get any, or runs changes without approval. Also catches one that
// forgets its ticked tools on a reload or a regenerated answer, gives them to an assistant, or doesn't let the model read them ahead.
test("a chat without an assistant uses its ticked tools, including those of a connected MCP server", async ({
  page,
}, info) => {
  mkdirSync(info.outputPath(), { recursive: true })
  const server = scriptedServer(info.outputPath())
  await server.offer([tool("notes")])
  await using model = await startModelServer(({ messages, tools = [] }): Round => {
    const called = tools.find(({ function: { name } }) => name === "mcp_notes_notes")
    if (messages.at(-1)?.role === "tool") return { text: "Your notes say yes." }
    if (!called) return { text: `Without notes, with ${tools.length} tools.` }
    return { calls: [{ name: called.function.name, args: { text: "leave" } }] }
  })
  await using box = await startBox("--model", model.baseUrl)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { integration } = await client.integrations.add({ body: { name: "Notes", target: server.target } })
  const params = { key: integration.key }
  const { consent } = (await client.integrations.read({ params })).integration
  await client.integrations.link({ params, body: { consent: consent ?? "" } })
  await client.assistants.create({ body: { name: "Helper" } })

  await signIn(page, box)
  const message = page.getByLabel("Message", { exact: true })
  const answer = page.getByLabel("Answer", { exact: true }).last()
  const tools = page.getByRole("button", { name: /^(Choose tools|Tools) for this chat/ })
  const choices = page.getByRole("dialog", { name: "Choose tools for this chat" })
  await message.fill("What do my notes say?")
  await page.keyboard.press("Enter")
  await expect(answer).toContainText("Without notes, with 0 tools.")

  // With the keyboard alone.
  await tools.press("Enter")
  await expect(choices.getByRole("checkbox", { checked: true })).toHaveCount(0)
  await expect(choices.getByRole("checkbox", { name: "Jira" })).toHaveCount(0)
  await expectAccessible(page, "tools of a chat")
  await choices.getByRole("checkbox", { name: "Calculator" }).press("Space")
  await choices
    .getByRole("group", { name: "MCP servers" })
    .getByRole("checkbox", { name: "Notes" })
    .press("Space")
  await page.keyboard.press("Escape")
  await expect(tools).toHaveAccessibleName("Tools for this chat: 2 on")

  await page.getByRole("button", { name: "Regenerate" }).click()
  const card = page.getByRole("main").getByRole("region", { name: /notes/i })
  await expect(card).toBeVisible()
  await box.kill()
  await box.restart()
  await card.getByRole("button", { name: "Allow once" }).click()
  await expect(answer).toContainText("Your notes say yes.")
  await page.reload()
  await expect(tools).toHaveAccessibleName("Tools for this chat: 2 on")

  await page.getByRole("button", { name: "Choose an assistant" }).click()
  await page.getByRole("button", { name: /^Helper/ }).click()
  await expect(tools).toHaveCount(0)
  await message.fill("And you?")
  await page.keyboard.press("Enter")
  await expect(answer).toContainText("Without notes, with 0 tools.")
  await page.getByRole("button", { name: "Remove Helper" }).click()
  await tools.click()
  await choices.getByRole("checkbox", { name: "Notes" }).uncheck()
  await page.keyboard.press("Escape")
  await expect(tools).toHaveAccessibleName("Tools for this chat: 1 on")
  await message.fill("And now?")
  await page.keyboard.press("Enter")
  await expect(answer).toContainText("Without notes, with 1 tools.")

  // A new chat has no tools.
  await page.getByRole("link", { name: "New chat" }).first().click()
  await expect(tools).toHaveAccessibleName("Choose tools for this chat")
  const readAhead = page.waitForRequest((request) => request.url().endsWith("/api/ai/chat/prepare"))
  await tools.click()
  await choices.getByRole("checkbox", { name: "Calculator" }).check()
  expect((await readAhead).postDataJSON()).toMatchObject({
    assistantId: null,
    builtInTools: { calculate: true },
  })
})

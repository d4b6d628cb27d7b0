import { test as plainTest, type Page } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { chatIdForms } from "../src/shared/testing/chat-ids.ts"
import { expect, signIn } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const chats = (page: Page) => page.getByRole("region", { name: "Chats" })
const question = (page: Page) => page.getByLabel("Your message")
const allow = (page: Page) => page.getByRole("button", { name: "Allow once" })

/**
 * Characters that could be misread in an address. The API's test tries each one alone; one id with all of them finds the same faults here.
 */
const marks = chatIdForms.filter((id) => /^a.b$/u.test(id) && id !== "a b")
const forms = [marks.join(""), ...chatIdForms.filter((id) => !marks.includes(id))]

// Catches an id that the API accepts but that some link in the app doesn't open, or opens as another chat.
plainTest(
  "every chat opens from the list, a reload, its plain path, a notification and a link in the palette",
  async ({ page }) => {
    plainTest.setTimeout(600_000)
    await using model = await startModelServer(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "It is done." }
        : { text: "A moment. ", calls: [{ name: "calculate", args: { expression: "1+1" } }] },
    )
    await using box = await startBox("--model", model.baseUrl)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    const { assistant } = await client.assistants.create({
      body: { name: "Helper", permissionMode: "ask", builtInTools: { calculate: true } },
    })
    await signIn(page, box)
    for (const [number, id] of forms.entries()) {
      const title = `Question ${number} of many`
      const body = {
        id,
        boxAddress: box.url,
        assistantId: assistant.id,
        messages: [{ role: "user" as const, content: title }],
      }
      for await (const event of client.chat.send({ body }))
        if (event.type === "error") throw new Error(event.error)
      const expectChat = async (how: string) => {
        await expect(question(page), `${JSON.stringify(id)} ${how}`).toHaveText(title)
        await expect(allow(page), `${JSON.stringify(id)} ${how}`).toBeVisible()
        await expect(chats(page).getByRole("link", { name: title }), how).toHaveAttribute(
          "aria-current",
          "page",
        )
      }
      const leave = async () => {
        await page.goto(`${box.url}/#/assistants`)
        await expect(question(page)).toBeHidden()
      }

      await chats(page).getByRole("link", { name: title }).click()
      await expectChat("from the list")
      await page.reload()
      await expectChat("after a reload")
      if (number % 8 === 0) {
        await leave()
        await page.goto(`${box.url}/inter/chat/${encodeURIComponent(id)}`)
        await expectChat("as a plain path")
        await leave()
        await page.keyboard.press("ControlOrMeta+k")
        await page.getByRole("combobox", { name: "Go to" }).fill(title)
        await page.getByRole("option", { name: title }).first().click()
        await expectChat("from the palette")
      }

      // A notification about the chat on screen is silent. From another screen, the bell leads to that chat.
      await leave()
      await client.notifications.send({
        body: { title: `News ${number} of many`, chatId: id, silentToast: true },
      })
      await page.getByRole("button", { name: /^Inbox/ }).click()
      await page.getByRole("dialog", { name: "Inbox" }).getByText(`News ${number} of many`).click()
      await expectChat("from a notification")
      await allow(page).click()
      await expect(page.getByLabel("Answer", { exact: true }).last()).toContainText("It is done.")
      await client.conversations.remove({ params: { id } })
      await client.notifications.markAllRead()
    }
  },
)

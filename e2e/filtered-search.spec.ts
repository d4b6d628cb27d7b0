import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

const mail = (from: string, date: string, words: string) =>
  new Blob([`From: ${from}\r\nTo: bo@example.org\r\nDate: ${date}\r\nSubject: Kettle\r\n\r\n${words}\r\n`])

// Catches conditions that stay text, that can't be removed with the keyboard, or that the box doesn't get.
test("a search is narrowed by what is typed, in the folder, the palette and the composer", async ({
  page,
  box,
}) => {
  const api = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { id } = (await api.folders.create({ body: { name: "Letters" } })).vector
  const anna = mail(
    "Anna Rossi <anna@example.org>",
    "Wed, 31 Jan 2024 10:00:00 +0000",
    "The zucchetto kettle costs three.",
  )
  const joanna = mail(
    "Joanna <joanna@example.org>",
    "Fri, 1 Mar 2024 10:00:00 +0000",
    "The zucchetto kettle costs four.",
  )
  await api.files.upload({ params: { id }, file: anna, fileName: "anna.eml" })
  await api.files.upload({ params: { id }, file: joanna, fileName: "joanna.eml" })
  await expect
    .poll(async () => {
      const { fileCount, pendingCount } = (await api.folders.read({ params: { id } })).vector
      return fileCount - pendingCount
    })
    .toBe(2)
  await signIn(page, box)

  await page.goto(`${box.url}/#/dc/vector/${id}?tab=search`)
  const field = page.getByRole("searchbox", { name: "Enter a question to test" })
  const chips = page.getByRole("list", { name: "Only these files" })
  const passages = page.getByRole("list", { name: "Passages" }).getByRole("listitem")
  await field.fill("")
  await field.pressSequentially('type:mail after:2024-02-01 "type:pdf" zucchetto from:anna')
  await expect(chips.getByRole("listitem")).toHaveText(["Type: mail", "After: 2024-02-01"])
  await expect(field).toHaveValue('"type:pdf" zucchetto from:anna')
  await field.fill("zucchetto from:anna")
  await field.press("Enter")
  await expect(chips.getByRole("listitem")).toHaveText([
    "Type: mail",
    "From or to: anna",
    "After: 2024-02-01",
  ])
  await expect(page.getByText("No file in the selected folders matches the filter.")).toBeVisible()
  await expectAccessible(page, "narrowed-search")
  await page.getByRole("button", { name: "Remove “After: 2024-02-01”" }).press("Enter")
  await expect(passages).toHaveCount(1)
  await expect(passages).toContainText("costs three")

  await page.getByRole("button", { name: "Search everything" }).click()
  const palette = page.getByRole("combobox", { name: "Go to" })
  await palette.pressSequentially("in:letters before:2024-02-01 zucchetto")
  await expect(page.getByRole("option")).toHaveCount(1)
  await expect(page.getByRole("option")).toContainText("costs three")
  await palette.fill("")
  await palette.press("Backspace")
  await palette.press("Backspace")
  await expect(chips).toBeHidden()
  await page.keyboard.press("Escape")

  await page.goto(`${box.url}/#/?folder=${id}`)
  const message = page.getByRole("textbox", { name: "Message" })
  await message.pressSequentially("type:mail from:joanna What does the zucchetto kettle cost? to:day")
  await expect(chips.getByRole("listitem")).toHaveText(["Type: mail", "From or to: joanna"])
  await expect(message).toHaveValue("What does the zucchetto kettle cost? to:day")
  await message.press("Enter")
  await expect(page.getByText("costs four")).toBeVisible()
  await expect(page.getByText("costs three")).toBeHidden()
  const { chats } = await api.conversations.list({ query: {} })
  const { chat } = await api.conversations.read({ params: { id: chats[0]?.id ?? "" } })
  expect(chat.messages[0]).toMatchObject({ filter: { types: ["mail"], people: ["joanna"] } })
  // The next question is narrowed in the same way until the conditions are removed.
  await expect(chips.getByRole("listitem")).toHaveCount(2)
})

import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const getScript = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
const bell = (page: Page) => page.getByRole("button", { name: /^Inbox/ })
const toasts = (page: Page) => page.locator("[data-toasts]")
const panel = (page: Page) => page.getByRole("dialog", { name: "Inbox" })
const row = (page: Page, title: string) => panel(page).getByRole("listitem").filter({ hasText: title })

async function open(page: Page, box: RunningBox): Promise<void> {
  await signIn(page, box)
  await page.mouse.move(600, 300)
}

test.beforeEach(async ({ page, box }) => {
  await getScript(box).notifications.markAllRead()
  await open(page, box)
})

test("a script asks, a user answers in the bell, and the script receives the answer", async ({
  page,
  box,
  browser,
}) => {
  const other = await browser.newPage()
  for (const one of [page, other]) await holdToasts(one)
  await open(other, box)
  const asked = box.run("ask", "Deploy version 2?", "--choices", "yes,no", "--description", "12 commits")
  await expect(toasts(page)).toContainText("Deploy version 2?")
  await expect(toasts(other).getByRole("button", { name: "no" })).toBeVisible()
  await bell(page).click()
  const question = row(page, "Deploy version 2?")
  await expect(question).toContainText("12 commits")
  await expectAccessible(page)
  await question
    .getByRole("group", { name: "Deploy version 2?" })
    .getByRole("button", { name: "yes" })
    .click()
  expect(await asked).toBe("yes")
  await expect(question).toContainText("Answered: yes")
  await expect(question.getByRole("group")).toBeHidden()
  await expect(question.locator("[data-row]")).toBeFocused()
  // Catches another device that still shows an answered question.
  await expect(toasts(other)).toBeEmpty()
  await bell(other).click()
  await expect(row(other, "Deploy version 2?")).toContainText("Answered: yes")
  await other.close()
})

test("the toast and the keyboard in the bell can answer too", async ({ page, box }) => {
  await holdToasts(page)
  const first = box.run("ask", "By toast?", "--choices", "sure,never")
  await toasts(page).getByRole("button", { name: "sure" }).click()
  expect(await first).toBe("sure")
  await expect(toasts(page)).toBeEmpty()

  const second = box.run("ask", "By keys?", "--choices", "go on,stop")
  await expect(toasts(page)).toContainText("By keys?")
  await bell(page).focus()
  await page.keyboard.press("Enter")
  const focused = panel(page).locator("[data-row]:focus")
  await expect(row(page, "By keys?")).toBeVisible() // otherwise the keys would lead to an older row
  await expect(async () => {
    if ((await focused.count()) === 0) await page.keyboard.press("ArrowDown")
    await expect(focused).toContainText("By keys?", { timeout: 300 })
  }).toPass()
  await page.keyboard.press("Tab")
  await expect(row(page, "By keys?").getByRole("button", { name: "go on" })).toBeFocused()
  await page.keyboard.press("Enter")
  expect(await second).toBe("go on")
  await expect(focused).toContainText("Answered: go on")
})

// Catches a row that still offers an answered question, or doesn't show its result.
test("answering a question that was answered elsewhere shows an error; a long one is readable in a small window", async ({
  page,
  box,
}) => {
  await page.setViewportSize({ width: 800, height: 600 })
  const title = `May the nightly job delete ${"everything that is older than a year, ".repeat(4)}really?`
  const choices = [
    "Delete all of it now, I have a backup here",
    "Ask me again tomorrow morning at nine",
    "Never",
  ].map((choice) => choice.slice(0, 40))
  const { question } = await getScript(box).questions.ask({ body: { title, choices, expiresInSeconds: 600 } })
  await bell(page).click()
  await expect(row(page, "nightly").getByRole("button", { name: "Never" })).toBeVisible()
  await page.route(`**/questions/${question.id}/answer`, (route) =>
    route.fulfill({
      status: 409,
      json: {
        error: 'This was already answered: "Never".',
        code: "conflict",
        sentence: { code: "questions.answered", values: { answer: "Never" } },
      },
    }),
  )
  await row(page, "nightly").getByRole("button", { name: "Never" }).click()
  await expect(toasts(page)).toContainText('This was already answered: "Never".')
  await expect(row(page, "nightly").getByRole("button", { name: "Never" })).toBeEnabled()
})

// Catches a question that isn't listed with everything else that waits, a card that stays after its question was answered elsewhere or
// expired, and focus lost with the card.
test(
  "questions wait in the Workbox, are answered there by keyboard, and go when they are decided elsewhere",
  { tag: "@screen/workbox" },
  async ({ page, box, browser }) => {
    await page.setViewportSize({ width: 800, height: 600 })
    await page.goto(`${box.url}/#/workbox`)
    const main = page.getByRole("main")
    const cards = main.getByRole("region", { name: "Questions for you" }).getByRole("listitem")
    const card = (title: string) => cards.filter({ hasText: title })
    for (const one of (await getScript(box).questions.list()).questions)
      await card(one.title).getByRole("button").first().click()
    await expect(main.getByRole("heading", { name: "Nothing needs your attention" })).toBeVisible()

    const ask = async (title: string, choices: string[], more = {}) =>
      (await getScript(box).questions.ask({ body: { title, choices, expiresInSeconds: 600, ...more } }))
        .question
    const first = await ask("Deploy on Friday?", ["yes", "no"], { description: "12 commits", default: "no" })
    await ask("Which invoice?", ["the first", "the second"])
    await expect(cards).toHaveCount(2)
    await expect(main.getByRole("heading", { name: "Nothing needs your attention" })).toBeHidden()
    await expect(card("Deploy on Friday?")).toContainText("12 commits")
    await expect(card("Deploy on Friday?")).toContainText(/Open until .*. Default answer: no/)
    await expectAccessible(page, "questions in the workbox")

    await card("Which invoice?").getByRole("button", { name: "the second" }).focus()
    await page.keyboard.press("Enter")
    await expect(card("Which invoice?")).toHaveCount(0)
    await expect(card("Deploy on Friday?")).toBeFocused()

    const other = await browser.newPage()
    await open(other, box)
    await bell(other).click()
    await row(other, "Deploy on Friday?").getByRole("button", { name: "yes" }).click()
    await expect(card("Deploy on Friday?")).toHaveCount(0)
    expect((await getScript(box).questions.read({ params: { id: first.id } })).question.answer).toBe("yes")
    await other.close()
    await expect(main.getByRole("heading", { name: "Nothing needs your attention" })).toBeVisible()

    // A busy computer may show the first ones only after they have expired.
    await expect(async () => {
      await ask("Will it rain?", ["yes", "no"], { expiresInSeconds: 10 })
      await expect(cards).not.toHaveCount(0, { timeout: 10_000 })
    }).toPass()
    await expect(main.getByRole("heading", { name: "Nothing needs your attention" })).toBeVisible()
  },
)

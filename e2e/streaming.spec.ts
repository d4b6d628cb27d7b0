import { setTimeout as pause } from "node:timers/promises"
import type { Locator } from "@playwright/test"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { startModelServer, type ModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { expect, signIn, test as onSharedBox } from "./page-test.ts"

/** Several lines a second, however busy the computer is. A local model would need seconds for each word then. */
const wordsMs = 25

async function* endlessText() {
  for (;;) {
    yield " on and on"
    await pause(wordsMs)
  }
}

/** The model answers an exclamation without end. */
const test = onSharedBox.extend<object, { model: ModelServer }>({
  model: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern
    async ({}, use) => {
      await using model = await startModelServer(({ messages }) => ({
        text: messages.at(-1)?.content?.endsWith("!") === true ? endlessText() : "Hello from the model.",
      }))
      await use(model)
    },
    { scope: "worker" },
  ],
  boxFlags: async ({ model }, use) => use(["--model", model.baseUrl]),
})

const getLength = async (answer: Locator) => (await answer.textContent())?.length ?? 0

/** Length of the answer after it is drawn; a long one isn't drawn in one frame. */
async function drawnLength(answer: Locator): Promise<number> {
  let last = -1
  const isDrawn = async () => {
    const before = last
    last = await getLength(answer)
    return last === before
  }
  await expect.poll(isDrawn, { intervals: [1000] }).toBe(true)
  return last
}

/** The parts of an element that these tests need, because they have no browser types. */
interface Scrolled {
  scrollTop: number
}

/** Waits until the answer has grown. */
async function expectGrowth(answer: Locator): Promise<void> {
  const before = await getLength(answer)
  await expect.poll(() => getLength(answer)).toBeGreaterThan(before)
}

test(
  "an answer streams, survives a reload, and stops on request",
  { tag: "@screen/chat" },
  async ({ page, box }) => {
    await signIn(page, box)
    await page.getByLabel("Message", { exact: true }).fill("Go on for ever!")
    await page.keyboard.press("Enter")
    const answer = page.getByLabel("Answer", { exact: true })
    await expect(answer).toContainText("on and on")
    await expect(page).toHaveURL(/#\/inter\/chat\//)

    await page.reload()
    await expect(answer).toHaveCount(1)
    await expectGrowth(answer)

    await page.getByRole("button", { name: "Stop" }).click()
    await expect(answer.getByText("Stopped.")).toBeVisible()
    await expect(page.getByRole("button", { name: "Send" })).toBeVisible()

    const stopped = await drawnLength(answer)
    await page.reload()
    await expect(answer.getByText("Stopped.")).toBeVisible()
    await expect.poll(() => getLength(answer)).toBe(stopped)
  },
)

// Catches a list that stops following the end after a move that isn't the user's, and one that keeps following while the user reads above.
test("the end of a growing answer is followed until the user scrolls up", async ({ page, box }) => {
  await signIn(page, box)
  await page.getByLabel("Message", { exact: true }).fill("Go on for ever!")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  const log = page.getByRole("log")
  const latest = page.getByRole("button", { name: "Jump to latest" })
  const top = () => log.evaluate((element: unknown) => (element as Scrolled).scrollTop)
  await expect.poll(top).toBeGreaterThan(500)
  await log.evaluate((element: unknown) => ((element as Scrolled).scrollTop -= 200))
  const before = await top()
  await expect.poll(top).toBeGreaterThan(before + 200)
  await expect(latest).toBeHidden()

  await log.hover()
  await page.mouse.wheel(0, -300)
  await expect(latest).toBeVisible()
  const read = await top()
  await expectGrowth(answer)
  expect(await top()).toBeLessThanOrEqual(read)
  await latest.click()
  await expect(latest).toBeHidden()
  await page.getByRole("button", { name: "Stop" }).click()
})

test("Esc stops, another chat can be read in the meantime, and asking differently keeps both versions", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  const message = page.getByLabel("Message", { exact: true })
  const answer = page.getByLabel("Answer", { exact: true })
  await message.fill("Go on!")
  await page.keyboard.press("Enter")
  await expect(answer).toContainText("on and on")
  await page.getByRole("link", { name: "New chat" }).click()
  await page.getByRole("navigation", { name: "Casella" }).getByRole("link", { name: "Go on!" }).click()
  await expectGrowth(answer)
  await page.keyboard.press("Escape")
  await expect(answer.getByText("Stopped.")).toBeVisible()

  await page.getByLabel("Your message").hover()
  await page.getByRole("button", { name: "Edit question" }).click()
  await expect(message).toHaveValue("Go on!")
  await message.fill("Greet me.")
  await page.keyboard.press("Enter")
  await expect(answer).toContainText("Hello from the model.")
  await expect(answer).toHaveCount(1)

  await page.getByRole("button", { name: "Previous version" }).click()
  await expect(answer).toContainText("on and on")
})

test("an answer requested in one window streams in another, and can be stopped there too", async ({
  page,
  context,
  box,
}) => {
  await signIn(page, box)
  const message = page.getByLabel("Message", { exact: true })
  await message.fill("Greet me.")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("Hello from the model.")
  await expect(page).toHaveURL(/#\/inter\/chat\//)

  const other = await context.newPage()
  await other.goto(page.url())
  const answers = other.getByLabel("Answer", { exact: true })
  await expect(answers).toContainText("Hello from the model.")
  await message.fill("Go on!")
  await page.keyboard.press("Enter")
  await expect(answers).toHaveCount(2)
  await expectGrowth(answers.last())
  await other.getByRole("button", { name: "Stop" }).click()
  await expect(page.getByText("Stopped.")).toBeVisible()
})

test.describe("with a local model", () => {
  test.use({ boxFlags: ["--model", ensureTestModel()] })

  test("the model's state is shown", async ({ page, box }) => {
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/models`)
    await expect(page.getByText("scripted", { exact: false }).first()).toBeVisible()
  })
})

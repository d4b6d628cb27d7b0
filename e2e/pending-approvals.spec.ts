import type { Page } from "@playwright/test"
import { startModelServer, type Round } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Casella" })
const bell = (page: Page) => page.getByRole("button", { name: /^Inbox/ })
const panel = (page: Page) => page.getByRole("dialog", { name: "Inbox" })
const waitingIn = (page: Page) => sidebar(page).getByRole("region", { name: "Needs your approval" })

/** A box whose model wants to remember each question, and answers after the decision. */
async function startTalk(speak?: () => Promise<void>) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModelServer(async ({ messages }): Promise<Round> => {
      await speak?.()
      const question =
        messages
          .findLast(({ role }) => role === "user")
          ?.content?.split("\n")
          .at(-1) ?? ""
      if (messages.at(-1)?.role === "tool" || question.startsWith("Just")) return { text: "It is done." }
      return { calls: [{ name: "memory", args: { action: "remember", text: question } }] }
    }),
  )
  const box = stack.use(await startBox("--model", model.baseUrl))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { assistant } = await client.assistants.create({
    body: { name: "Helper", builtInTools: { memory: true } },
  })
  const resources = stack.move()
  return {
    box,
    client,
    async ask(id: string, content: string) {
      const messages = [{ role: "user" as const, content }]
      const body = { id, messages, boxAddress: box.url, assistantId: assistant.id }
      for await (const event of client.chat.send({ body }))
        if (event.type === "error") throw new Error(event.error)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

// Catches a pending call that no one finds; from any screen it must take two actions.
test(
  "pending calls are listed in the sidebar, decided in the bell, and stay unread until then",
  { tag: "@screen/approvals" },
  async ({ page }) => {
    await using talk = await startTalk()
    await signIn(page, talk.box)
    await page.goto(`${talk.box.url}/#/assistants`)
    await talk.ask("tea", "Likes tea")
    await talk.ask("coffee", "Likes coffee")
    await expect(waitingIn(page).getByRole("link")).toHaveText(["Likes tea", "Likes coffee"])
    await expect(sidebar(page).getByRole("link", { name: "Likes tea needs your approval" })).toBeVisible()
    await expect(bell(page)).toHaveAccessibleName("Inbox, 2 unread")

    // Two actions: the bell and the button.
    await bell(page).click()
    const waiting = panel(page).getByRole("region", { name: "Needs your approval" })
    await expect(waiting.getByRole("listitem").first()).toContainText("Likes tea")
    await expect(waiting.getByRole("listitem").first()).toContainText("Asked by Helper")
    await expectAccessible(page, "bell with calls that wait")
    await waiting.getByRole("button", { name: "Allow once" }).first().click()
    await expect(waiting.getByRole("button", { name: "Allow once" })).toHaveCount(1)
    await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
    await expect
      .poll(async () => (await talk.client.memory.list()).memories)
      .toMatchObject([{ text: "Likes tea" }])
    await page.keyboard.press("Escape")

    // They have a heading at the right level on the screen.
    await page.goto(`${talk.box.url}/#/inbox`)
    await expect(
      page.getByRole("main").getByRole("heading", { name: "Needs your approval", level: 2 }),
    ).toBeVisible()

    // Two actions again: the chat and the button. Showing the chat doesn't mark it as read.
    await waitingIn(page).getByRole("link", { name: "Likes coffee" }).click()
    const card = page.getByRole("main").getByRole("region", { name: "Remember this about you?" })
    await expect(card).toBeVisible()
    await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
    await card.getByRole("button", { name: "Deny" }).click()
    const answer = page.getByLabel("Answer", { exact: true })
    await expect(answer).toContainText("It is done.")
    await expect(answer).toContainText("Denied by you")
    await expect(answer).not.toContainText("failed")
    await expect(waitingIn(page)).toBeHidden()
    await expect(bell(page)).toHaveAccessibleName("Inbox")
  },
)

// Catches a decision in the bell after which the answer doesn't resume, lost keyboard focus, and a refusal that disappears with its card.
test("calls of closed chats are decided in the bell by keyboard; deciding one that was decided elsewhere shows an error", async ({
  page,
  context,
}) => {
  await using talk = await startTalk()
  const { box, client } = talk
  await page.emulateMedia({ reducedMotion: "reduce" })
  await page.setViewportSize({ width: 800, height: 600 })
  await signIn(page, box)
  const other = await context.newPage()
  await holdToasts(other)
  await other.goto(`${box.url}/#/workbox`)
  const { automation } = await client.automations.create({
    body: {
      name: "Habits",
      prompt: "Likes milk",
      trigger: { kind: "manual" },
      notify: "never",
      assistantId: (await client.assistants.list()).assistants[0]?.id ?? null,
    },
  })
  await client.automations.run({ params: { id: automation.id } })
  const question = "Use or change what it remembers about you?"
  await Promise.all(
    [page, other].map((each) => expect(each.locator("[data-toasts]")).toContainText(question)),
  )
  await bell(page).focus()
  await page.keyboard.press("Enter")
  const cards = panel(page).getByRole("region", { name: "Needs your approval" }).getByRole("listitem")
  await expect(cards).toHaveCount(1)
  await expect(cards).toContainText("It makes a lasting change.")
  await cards.getByRole("button", { name: "Allow once" }).focus()
  await page.keyboard.press("Enter")
  await expect(cards).toHaveCount(0)
  await expect(
    panel(page)
      .locator(":focus")
      .or(panel(page).and(page.locator(":focus"))),
  ).toHaveCount(1)
  const ended = async () =>
    (await client.automations.runs({ params: { id: automation.id } })).runs.map(({ status }) => status)
  await expect.poll(ended).toEqual(["completed"])
  await expect(other.locator("[data-toasts]")).not.toContainText(question)
  await talk.ask("tea", "Likes tea")
  await talk.ask("coffee", "Likes coffee")
  await expect(cards).toHaveCount(2)

  // Decided in another window while this one's decision is being sent.
  const late = Promise.withResolvers<void>()
  await page.route("**/chat/tea/approvals/*", async (route) => {
    await late.promise
    await route.continue()
  })
  await cards.first().getByRole("button", { name: "Deny", exact: true }).click()
  const otherRegion = other.getByRole("main").getByRole("region", { name: "Needs your approval" })
  await otherRegion.getByRole("button", { name: "Allow once" }).first().click()
  await expect(cards).toHaveCount(1)
  await expect(cards.filter({ hasText: "Likes coffee" })).toBeFocused()
  late.resolve()
  await expect(page.locator("[data-toasts]")).toContainText("This was already decided.")
  await cards.first().getByRole("button", { name: "Allow once" }).click()
  await expect(cards).toHaveCount(0)
  await page.goto(`${box.url}/#/inter/chat/coffee`)
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("It is done.")
  expect((await client.memory.list()).memories.map(({ text }) => text).sort()).toEqual([
    "Likes coffee",
    "Likes milk",
    "Likes tea",
  ])
})

// Catches an approval that screen readers don't announce because a file failed just before.
test("a toast for several notifications names the pending call", async ({ page }) => {
  await using talk = await startTalk()
  await holdToasts(page)
  await signIn(page, talk.box)
  const toasts = page.locator("[data-toasts]")
  await talk.client.notifications.send({ body: { title: "A file failed", type: "error" } })
  await expect(toasts).toContainText("A file failed")
  await talk.ask("here", "Likes water")
  await expect(toasts).toContainText("2 new notifications")
  await expect(toasts).toContainText("Use or change what it remembers about you?")
})

/** Runs in the page: the composer, the newest question and the buttons of a chat that are covered by a toast. */
const underToasts = `(() => {
  const boxes = [...document.querySelectorAll("[data-toasts] > *")].map((toast) => toast.getBoundingClientRect())
  const shown = [document.querySelector("[data-composer]"), [...document.querySelectorAll("[data-question]")].at(-1), ...document.querySelectorAll("main button")]
  return shown.filter((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return !element.closest("[data-toasts]") && boxes.some((box) => box.left < right && left < box.right && box.top < bottom && top < box.bottom)
  }).map((element) => element.getAttribute("aria-label") ?? element.textContent)
})()`

// Catches a toast that covers the user's last question or the composer.
test("in a short or long chat, toasts cover neither the question nor the composer nor buttons", async ({
  page,
}) => {
  const gate = Promise.withResolvers<void>()
  let answered = 0
  await using talk = await startTalk(() => (answered++ === 1 ? gate.promise : Promise.resolve()))
  await page.addInitScript(`if (origin !== "null") localStorage.setItem("sidebar-open", "false")`)
  await signIn(page, talk.box)
  const field = page.getByLabel("Message", { exact: true })
  const toasts = page.locator("[data-toasts]")
  const isClear = async (state: string) => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 800, height: 600 },
      { width: 1280, height: 800 },
    ]) {
      const title = `${state} ${viewport.width}`
      await page.setViewportSize(viewport)
      await expect(page.getByRole("article", { name: "Your message" }).last()).toBeInViewport({ ratio: 1 })
      await talk.client.notifications.send({ body: { title, type: "error", description: title } })
      await expect(toasts).toContainText(title)
      await expect(page.getByRole("article", { name: "Your message" }).last()).toBeInViewport({ ratio: 1 })
      // A toast takes its place after it has been measured.
      await expect.poll(() => page.evaluate(underToasts), title).toEqual([])
    }
  }
  await field.fill("Just say so: it is long")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("It is done.")
  await isClear("answered")
  await field.fill(`Just so: ${"it goes on and on. ".repeat(30)}`)
  await page.keyboard.press("Enter")
  await isClear("being answered")
  gate.resolve()
})

// Catches an approval that is marked as read when it arrives in the chat on screen, or when its toast is clicked.
test("viewing an approval doesn't mark it as read", async ({ page }) => {
  await using talk = await startTalk()
  await holdToasts(page)
  await signIn(page, talk.box)
  await talk.ask("here", "Likes water")
  await page.locator("[data-toasts]").getByText("Use or change what it remembers about you?").click()
  await expect(page.getByRole("main").getByRole("region", { name: "Remember this about you?" })).toBeVisible()
  await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
  await bell(page).click()
  await expect(panel(page).getByRole("button", { name: "Allow once" })).toBeVisible()
  await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")

  // It can be marked as read by hand.
  await panel(page).getByRole("button", { name: "Mark all as read" }).click()
  await expect(bell(page)).toHaveAccessibleName("Inbox, 1 needs your attention")
  await expect(panel(page).getByRole("button", { name: "Allow once" })).toBeVisible()
})

// Catches a call that the Inbox shows twice, cards in a separate scroll area, and a row that still asks after a decision here or in another
// window.
test("the Inbox asks once about each call, and shows its result", async ({ page, context }) => {
  await using talk = await startTalk()
  const { box, client } = talk
  await talk.ask("tea", "Likes tea")
  await talk.ask("coffee", "Likes coffee")
  await signIn(page, box)
  await page.setViewportSize({ width: 800, height: 600 })
  const other = await context.newPage()
  const inbox = other.getByRole("main")
  for (const one of [page, other]) await one.goto(`${box.url}/#/inbox`)
  const waiting = inbox.getByRole("region", { name: "Needs your approval" })
  await expect(waiting.getByRole("button", { name: "Allow once" })).toHaveCount(2)
  await expect(waiting).toHaveCSS("overflow-y", "visible")
  await waiting.getByRole("button", { name: "Deny", exact: true }).last().scrollIntoViewIfNeeded()
  await expect(waiting.getByRole("button", { name: "Deny", exact: true }).last()).toBeInViewport({ ratio: 1 })
  const rows = inbox.locator("[data-row]", { hasText: "Use or change what it remembers about you?" })
  await expect(rows).toHaveCount(0)

  const cards = page.getByRole("main").getByRole("region", { name: "Needs your approval" })
  await cards.getByRole("button", { name: "Allow once" }).first().click()
  await expect(rows).toHaveText([/Allowed/])
  await expect(cards.getByRole("button", { name: "Deny", exact: true })).toHaveCount(1)
  await cards.getByRole("button", { name: "Deny", exact: true }).click()
  await expect(rows).toHaveText([/Denied/, /Allowed/])
  await expect(waiting).toBeHidden()

  // The result is stored, and the notification is already read.
  const { notifications } = await client.notifications.list({ query: { category: "chat" } })
  expect(notifications.filter(({ news }) => news?.kind === "approval_wanted")).toMatchObject([
    { read: true, description: "Denied" },
    { read: true, description: "Allowed" },
  ])
})

// Catches an unseen answer that the chat list doesn't show.
test("a chat's row shows that it is being answered, and then that it is unread", async ({ page }) => {
  const gate = Promise.withResolvers<void>()
  await using talk = await startTalk(() => gate.promise)
  await signIn(page, talk.box)
  await page.getByLabel("Message", { exact: true }).fill("Just say so")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/inter\/chat/)
  await page.getByRole("link", { name: "New chat" }).first().click()
  const row = (state: string) => sidebar(page).getByRole("link", { name: `Just say so ${state}` })
  await expect(row("answering")).toBeVisible()
  await page.reload()
  await expect(row("answering")).toBeVisible()
  gate.resolve()
  await expect(row("unread")).toBeVisible()
  await page.reload()
  await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
  await row("unread").click()
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("It is done.")
  await expect(bell(page)).toHaveAccessibleName("Inbox")
  await page.getByRole("link", { name: "New chat" }).first().click()
  await expect(sidebar(page).getByRole("link", { name: "Just say so", exact: true })).toBeVisible()
  await page.reload()
  await expect(sidebar(page).getByRole("link", { name: "Just say so", exact: true })).toBeVisible()
})

// Catches a chat that stays unread although the user saw both answers, because the second ended while the first was being marked.
test("an answer that ends while the previous one is being marked as read is read too", async ({ page }) => {
  await using talk = await startTalk()
  await signIn(page, talk.box)
  const second = Promise.withResolvers<void>()
  let reading: Promise<void> | undefined
  await page.route(/\/api\/public\/chats\/[^/?]+(\?.*)?$/, async (route) => {
    if (route.request().method() === "PATCH" && reading === undefined) {
      reading = second.promise
      return route.fulfill({ response: await route.fetch() })
    }
    await reading
    return route.continue()
  })
  const field = page.getByLabel("Message", { exact: true })
  const unread = async () => (await talk.client.conversations.list()).chats[0]?.unread
  await field.fill("Just say so")
  await page.keyboard.press("Enter")
  await expect.poll(() => reading !== undefined).toBe(true)
  await expect.poll(unread).toBe(false)
  await field.fill("Just again")
  await page.keyboard.press("Enter")
  await expect.poll(unread).toBe(true)
  second.resolve()
  await expect(page.getByLabel("Answer", { exact: true })).toHaveCount(2)
  await expect.poll(unread).toBe(false)
})

const screens = [
  "/",
  "/dc",
  "/assistants",
  "/assistants/new",
  "/projects",
  "/inbox",
  "/inbox?category=email",
  "/calendar",
  "/email",
  "/messaggi",
  "/contacts",
  "/work",
  "/recordings",
  "/workbox",
  "/inter/chat/another",
  "/settings",
  "/settings/appearance",
  "/settings/notifications",
  "/settings/memory",
  "/settings/models",
  "/settings/models/installed",
  "/settings/models/more",
  "/settings/models/servers",
  "/settings/integrations",
  "/settings/web-search",
  "/settings/people",
  "/settings/keys",
  "/settings/network",
  "/settings/import",
  "/settings/storage",
  "/settings/trash",
  "/settings/backup",
  "/settings/privacy",
  "/settings/support",
  "/settings/audit",
  "/settings/logs",
  "/settings/about",
]

// Catches a screen that doesn't show a pending call, or from which answering it takes more than two actions.
test("on every screen, on a desktop and a phone, pending calls are answered with two actions", async ({
  page,
}) => {
  await using talk = await startTalk()
  await talk.ask("tea", "Likes tea")
  const { vector } = await talk.client.folders.create({ body: { name: "Papers" } })
  const { project } = await talk.client.projects.create({ body: { name: "Cloister" } })
  await signIn(page, talk.box)
  const deny = panel(page).getByRole("button", { name: "Deny", exact: true })
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    for (const screen of [...screens, `/dc/${vector.id}`, `/projects/${project.id}`]) {
      await page.goto(`${talk.box.url}/#${screen}`)
      await expect(bell(page), screen).toHaveAccessibleName(/^Inbox, 1 /)
      await bell(page).click()
      await deny.click({ trial: true }) // checks that it can be clicked
      await page.keyboard.press("Escape")
      await expect(panel(page), screen).toBeHidden()
    }
  }
  await bell(page).click()
  await deny.click()
  await expect.poll(async () => (await talk.client.chat.activity()).approvals).toEqual([])
})

// Catches a settings list that takes the focus when it has loaded, which closes whatever was opened in the meantime.
test("settings that load late leave the bell open", async ({ page }) => {
  await using talk = await startTalk()
  await signIn(page, talk.box)
  const late = Promise.withResolvers<void>()
  await page.route(/SettingsSidebar-[^/]*\.js$/, async (route) => {
    await late.promise
    await route.continue()
  })
  await page.getByRole("link", { name: "Settings" }).click()
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
  await bell(page).click()
  await expect(panel(page)).toBeFocused()
  late.resolve()
  await expect(page.getByRole("searchbox", { name: "Find a setting" })).toBeAttached()
  await expect(panel(page)).toBeFocused()
})

// Catches a pending call that is shown only while its notification is new, or its chat is in its original place.
test("a pending call can be found whatever happens to its notification and its chat", async ({
  page,
  context,
}) => {
  await using talk = await startTalk()
  const { box, client } = talk
  await talk.ask("tea", "Likes tea")
  await signIn(page, box)
  const link = waitingIn(page).getByRole("link", { name: "Likes tea" })
  const card = panel(page).getByRole("region", { name: "Needs your approval" })
  const isFound = async (state: string) => {
    await page.goto(`${box.url}/#/settings/about`)
    await page.reload()
    await expect(bell(page), state).toHaveAccessibleName("Inbox, 1 needs your attention")
    await bell(page).click()
    await expect(card.getByRole("button", { name: "Allow once" }), state).toBeVisible()
    await page.keyboard.press("Escape")
    await page.goto(`${box.url}/#/inbox?category=chat`)
    const inbox = page.getByRole("main").getByRole("region", { name: "Needs your approval" })
    await expect(inbox.getByRole("button", { name: "Allow once" }), state).toBeVisible()
    await expect(link, state).toBeVisible()
  }
  const [notification] = (await client.notifications.list()).notifications
  const params = { id: notification?.id ?? "" }
  await client.settings.update({ body: { mutedCategories: ["chat"] } })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  await client.notifications.update({ params, body: { snoozedUntil: tomorrow } })
  await isFound("put off and muted")
  await expectAccessible(page, "inbox of a kind, with a call that waits")
  await client.notifications.update({ params, body: { read: true } })
  await isFound("read")
  await client.notifications.remove({ params })
  await isFound("without its notification")

  const { project } = await client.projects.create({ body: { name: "Cloister" } })
  await client.conversations.update({
    params: { id: "tea" },
    body: { projectId: project.id, title: "Green tea" },
  })
  await page.reload()
  await expect(waitingIn(page).getByRole("link", { name: "Green tea" })).toBeVisible()

  // Deleted here, it is gone from the other window too, and restored in both.
  const other = await context.newPage()
  await other.goto(`${box.url}/#/`)
  await expect(waitingIn(other).getByRole("link")).toHaveText(["Green tea"])
  const { undo } = await client.conversations.remove({ params: { id: "tea" } })
  for (const one of [page, other]) await expect(waitingIn(one)).toBeHidden()
  await client.deletions.undo({ body: { token: undo.token } })
  for (const one of [page, other]) await expect(waitingIn(one).getByRole("link")).toHaveText(["Green tea"])

  // The first decision applies in every window.
  await waitingIn(other).getByRole("link").click()
  await other.getByRole("main").getByRole("button", { name: "Deny" }).click()
  for (const one of [page, other]) await expect(waitingIn(one)).toBeHidden()
})

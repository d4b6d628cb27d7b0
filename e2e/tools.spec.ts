import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { test as plainTest, type Page } from "@playwright/test"
import {
  startModelServer,
  type ModelRequest,
  type Round,
} from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"
import { startBox, type RunningBox } from "./running-box.ts"

interface Talk extends AsyncDisposable {
  box: RunningBox
  /** Sends a question to an assistant with tools, as a script would, and waits for the end of the stream. */
  ask: (chatId: string, question: string, before?: [question: string, answer: string]) => Promise<void>
  client: ReturnType<typeof createClient>
}

/** A box whose model calls the tools chosen by the test. */
async function startTalk(speak: (question: string, afterTool: boolean) => Round): Promise<Talk> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModelServer(({ messages }: ModelRequest) => {
      // Memories come before the question.
      const question = messages
        .findLast(({ role }) => role === "user")
        ?.content?.split("\n")
        .at(-1)
      return speak(question ?? "", messages.at(-1)?.role === "tool")
    }),
  )
  const box = stack.use(await startBox("--model", model.baseUrl))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const builtInTools = {
    calculate: true,
    plot: true,
    createWidget: true,
    memory: true,
    addAReasoningStep: true,
    codeInterpreter: true,
    getWeather: true,
  }
  const { assistant } = await client.assistants.create({ body: { name: "Helper", builtInTools } })
  const resources = stack.move()
  return {
    box,
    client,
    async ask(id, question, before) {
      const messages = [
        ...(before ? [{ role: "user" as const, content: before[0] }] : []),
        ...(before ? [{ role: "assistant" as const, content: before[1] }] : []),
        { role: "user" as const, content: question },
      ]
      const body = { id, messages, boxAddress: box.url, assistantId: assistant.id }
      for await (const event of client.chat.send({ body }))
        if (event.type === "error") throw new Error(event.error)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A small image. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="

const answer = (page: Page) => page.getByLabel("Answer", { exact: true }).last()
const card = (page: Page) => page.getByRole("region", { name: /about you\?$/ })
const openChat = (page: Page, { box }: Talk, chatId: string) => page.goto(`${box.url}/#/inter/chat/${chatId}`)

const remember = (text: string, afterTool: boolean): Round =>
  afterTool
    ? { text: "It is done." }
    : { text: "A moment. ", calls: [{ name: "memory", args: { action: "remember", text } }] }

// Catches a result next to the wrong call, and arguments that can't be seen in full.
test("an assistant's steps are folded, and can be inspected in full", async ({ page }) => {
  await using talk = await startTalk((question, afterTool) => {
    if (question === "Tell me a lot.") return { text: "A line of it.\n\n".repeat(300) }
    if (afterTool) return { text: "The answer is 4." }
    return {
      calls: [
        { name: "addAReasoningStep", args: { title: "Add the numbers" } },
        { name: "calculate", args: { expression: "2+2" } },
        { name: "calculate", args: { expression: "2 +* 2" } },
      ],
    }
  })
  await talk.ask("sum", "What is it?")
  await signIn(page, talk.box)
  await openChat(page, talk, "sum")
  const group = answer(page).getByText("3 steps")
  await expect(answer(page)).toContainText("1 failed")
  await expect(answer(page)).not.toContainText("2+2")
  await group.click()
  await answer(page).getByText("2+2").click()
  await expect(answer(page).getByRole("figure", { name: "Arguments" })).toContainText('"expression": "2+2"')
  await expect(answer(page).getByRole("figure", { name: "Result" })).toContainText("4")

  // Distant messages aren't drawn; this one returns in the state it was left in.
  for (const _ of ["once", "again"]) {
    await page.getByLabel("Message", { exact: true }).fill("Tell me a lot.") // one after the other
    await page.keyboard.press("Enter")
  }
  await expect(page.getByText("3 steps")).toHaveCount(0)
  await page.getByRole("log").press("Home")
  await expect(page.getByRole("figure", { name: "Arguments" })).toContainText('"expression": "2+2"')
})

// Catches an approval card that doesn't show which words are meant and where they were read.
test("a call with words that the user didn't type shows which ones, and where they come from", async ({
  page,
}) => {
  await using talk = await startTalk((_, afterTool) =>
    afterTool ? { text: "It is done." } : { calls: [{ name: "getWeather", args: { place: "Verona" } }] },
  )
  await talk.client.memory.remember({ body: { text: "Lives in Verona." } })
  await talk.ask("weather", "Will it rain?")
  await signIn(page, talk.box)
  await openChat(page, talk, "weather")
  const asked = page.getByRole("region", { name: "Look up the weather?" })
  await expect(asked).toContainText(
    '"Verona" comes from a saved fact about you. This would send it to another computer.',
  )
  await asked.getByRole("button", { name: "Deny" }).click()
  await expect(answer(page)).toContainText("It is done.")
})

// Catches an approval request that is lost with the box, and a decision that doesn't reach the pending call.
test("a pending call survives a restart, is found through the bell, and runs when it is approved", async ({
  page,
}) => {
  await using talk = await startTalk((question, afterTool) => remember(question, afterTool))
  await talk.ask("first", "Likes tea\u202E, not coffee")
  await talk.box.kill()
  await talk.box.restart()
  await signIn(page, talk.box)
  await page.getByRole("button", { name: /^Inbox/ }).click()
  await page
    .getByRole("dialog", { name: "Inbox" })
    .getByRole("region", { name: "Needs your approval" })
    .getByRole("link")
    .click()
  await expect(card(page)).toBeInViewport()
  await expect(card(page)).toContainText("It makes a lasting change.")
  await expect(card(page)).toContainText("Likes tea⟨U+202E⟩, not coffee")
  await expect(card(page)).not.toContainText("action")

  // A message written in the meantime doesn't deny the call.
  await page.getByLabel("Message", { exact: true }).fill("Thank you.")
  await page.keyboard.press("Enter")
  const waiting = page.getByRole("region", { name: "Queued questions" })
  await expect(waiting).toContainText("is waiting for your approval")

  await card(page).getByRole("button", { name: "Allow once" }).focus()
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true }).first()).toContainText("It is done.")
  await expect(waiting).toBeHidden()
  await expect(card(page)).toContainText("Thank you.")
  await card(page).getByRole("button", { name: "Deny" }).click()
  await expect(answer(page)).toContainText("It is done.")
  await expect(card(page)).toBeHidden()
  await page.goto(`${talk.box.url}/#/settings/memory`)
  await expect(page.getByRole("list", { name: "Saved facts" })).toContainText("Likes tea")
})

// Catches an approval card that doesn't name the assistant, and a delegated task that is lost with the box.
test("a call from another assistant waits on a card that names it, also after a restart", async ({
  page,
}) => {
  await using talk = await startTalk((question, afterTool) =>
    question === "Likes tea" || afterTool
      ? remember(question, afterTool)
      : { calls: [{ name: "assistant", args: { handle: "helper", task: "Likes tea" } }] },
  )
  const { assistant } = await talk.client.assistants.create({
    body: { name: "Boss", builtInTools: { assistant: true } },
  })
  const messages = [{ role: "user" as const, content: "Have it noted." }]
  const body = { id: "handed", messages, boxAddress: talk.box.url, assistantId: assistant.id }
  for await (const event of talk.client.chat.send({ body }))
    if (event.type === "error") throw new Error(event.error)
  await talk.box.kill()
  await talk.box.restart()
  await signIn(page, talk.box)
  await openChat(page, talk, "handed")
  await expect(card(page)).toContainText("Asked by @helper, for its task in this chat")
  await expect(card(page)).toContainText("Likes tea")
  await answer(page).getByText("Asked another assistant").click()
  await expect(answer(page)).toContainText("the assistant is waiting for your decision")
  await card(page).getByRole("button", { name: "Allow once" }).click()
  await expect(card(page)).toBeHidden()
  await expect(answer(page)).toContainText("A moment. It is done.")
  expect((await talk.client.memory.list()).memories).toMatchObject([{ text: "Likes tea" }])
})

// Catches a denied call that runs, and an approval "for this chat" that asks again or applies elsewhere.
test("a denied call doesn't run, and a tool allowed for a chat needs approval only elsewhere", async ({
  page,
}) => {
  await using talk = await startTalk((question, afterTool) => remember(question, afterTool))
  await signIn(page, talk.box)
  await talk.ask("denied", "Never this")
  await openChat(page, talk, "denied")
  await card(page).getByRole("button", { name: "Deny" }).click()
  await expect(answer(page)).toContainText("It is done.")
  await expect(answer(page)).toContainText("Denied by you")

  await talk.ask("allowed", "One")
  await openChat(page, talk, "allowed")
  await card(page).getByRole("button", { name: "Allow for this chat" }).click()
  await expect(answer(page)).toContainText("It is done.")
  await talk.ask("allowed", "Two", ["One", "A moment. It is done."])
  await expect(answer(page)).toContainText("It is done.")
  await expect(card(page)).toBeHidden()

  // After another program has decided, the card is gone here.
  await talk.ask("elsewhere", "Three")
  await openChat(page, talk, "elsewhere")
  await expect(card(page)).toBeVisible()
  const { approvals } = await talk.client.chat.approvals({ params: { chatId: "elsewhere" } })
  const params = { chatId: "elsewhere", toolCallId: approvals[0]?.toolCallId ?? "" }
  await talk.client.chat.approve({ params, body: { decision: "allow" } })
  await expect(card(page)).toBeHidden()
  await expect(answer(page)).toContainText("It is done.")
  const { memories } = await talk.client.memory.list()
  expect(memories.map(({ text }) => text).sort()).toEqual(["One", "Three", "Two"])
})

// Catches files that can't be downloaded, and an image shown only as a name.
test("files created by a tool are listed, viewed and downloaded", async ({ page }) => {
  const code = [
    "import base64",
    `open("dot.png", "wb").write(base64.b64decode("${dot}"))`,
    'open("table.csv", "w").write("a,b")',
  ].join("\n")
  await using talk = await startTalk((_, afterTool) =>
    afterTool ? { text: "There." } : { calls: [{ name: "codeInterpreter", args: { code } }] },
  )
  await talk.ask("files", "Make them.")
  await signIn(page, talk.box)
  await openChat(page, talk, "files")
  const files = page.getByRole("list", { name: "Files", exact: true })
  await expect(files.getByRole("listitem")).toHaveCount(2)
  await expect(files.getByRole("img", { name: "dot.png" })).toBeVisible()
  const download = page.waitForEvent("download")
  await files.getByRole("button", { name: /^Download table.csv/ }).click()
  expect(readFileSync(await (await download).path(), "utf8")).toBe("a,b")
})

// Catches a chart that only sighted users can read.
test("a chart is drawn, read as a table and copied", async ({ page, context }) => {
  const series = [
    { name: "Rain", values: [30, null] },
    { name: "Sun", values: [9, 11] },
  ]
  const chart = { kind: "bar", title: "Weather", xLabel: "Month", labels: ["May", "June"], series }
  await using talk = await startTalk((_, afterTool) =>
    afterTool ? { text: "There." } : { calls: [{ name: "plot", args: chart }] },
  )
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await talk.ask("chart", "Draw it.")
  await signIn(page, talk.box)
  await openChat(page, talk, "chart")
  const figure = page.getByRole("figure", { name: "Weather: Rain, Sun" })
  await expect(figure.getByRole("img")).toBeVisible()
  const download = page.waitForEvent("download")
  await figure.getByRole("button", { name: "Save as image" }).click()
  expect((await download).suggestedFilename()).toBe("Weather.png")
  await figure.getByRole("button", { name: "Show as table" }).click()
  await expect(figure.getByRole("row").nth(1)).toHaveText("May309")
  await figure.getByRole("button", { name: "Copy as CSV" }).click()
  await expect
    .poll(() => page.evaluate("navigator.clipboard.readText()"))
    .toBe("Month,Rain,Sun\r\nMay,30,9\r\nJune,,11")
})

// Its blocked attempts are console errors, which `test` doesn't allow. Catches a widget that connects to the network.
plainTest("a widget works in its frame, shows its source, grows, and reaches nothing", async ({ page }) => {
  const reached: string[] = []
  const sink = createServer((request, response) => {
    reached.push(request.url ?? "")
    response.end()
  }).listen(0, "127.0.0.1")
  await once(sink, "listening")
  const address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`
  const html = `<!doctype html><p style="height:300px">Count: <b id="n">0</b></p><img src="${address}/img">
    <button onclick="n.textContent = Number(n.textContent) + 1">More</button>
    <script>fetch("${address}/fetch").catch(() => { document.title = "refused" }); new Image().src = "${address}/image"</script>`
  await using talk = await startTalk((_, afterTool) =>
    afterTool
      ? { text: "There." }
      : {
          calls: [
            { name: "createWidget", args: { title: "Counter", html } },
            { name: "createWidget", args: { title: "Low", html: "<p>A line" } },
          ],
        },
  )
  await talk.ask("widget", "Make it.")
  await signIn(page, talk.box)
  await openChat(page, talk, "widget")
  const figure = page.getByRole("figure", { name: "Counter" })
  const widget = figure.frameLocator("iframe")
  await widget.getByRole("button", { name: "More" }).click()
  await expect(widget.locator("#n")).toHaveText("1")
  await expect.poll(async () => (await figure.locator("iframe").boundingBox())?.height).toBeGreaterThan(320)
  const low = page.getByRole("figure", { name: "Low" }).locator("iframe")
  await expect.poll(async () => (await low.boundingBox())?.height).toBeLessThan(100)
  await figure.getByRole("button", { name: "Enlarge" }).click()
  await expect.poll(async () => (await figure.boundingBox())?.height).toBeGreaterThan(600)
  await expect(widget.locator("#n")).toHaveText("1")
  await figure.getByRole("button", { name: "Back to the chat" }).click()
  await figure.getByRole("button", { name: "Source" }).click()
  await expect(figure.getByRole("figure", { name: "Source" })).toContainText("Count: <b id=")
  expect(reached).toEqual([])
  sink.closeAllConnections()
  sink.close()
})

// Catches a widget that takes the keyboard to read what is typed in the page, that keeps it, or that opens a tab.
plainTest("a widget has the keyboard while its reader wants it there, and opens no tab", async ({ page }) => {
  const thief = `<!doctype html><input id=trap><script>setInterval(() => { window.focus(); trap.focus() }, 20)</script>`
  const form = `<!doctype html><input aria-label="Name"><a href="https://example.invalid/">Away</a>
    <script>
      addEventListener("keydown", (event) => { if (event.key.length > 1) event.preventDefault() }, true)
      setTimeout(() => { try { document.open() } catch {} })
    </script>`
  await using talk = await startTalk((_, afterTool) =>
    afterTool
      ? { text: "There." }
      : {
          calls: [
            { name: "createWidget", args: { title: "Thief", html: thief } },
            { name: "createWidget", args: { title: "Form", html: form } },
          ],
        },
  )
  await talk.ask("keys", "Make them.")
  await signIn(page, talk.box)
  await openChat(page, talk, "keys")
  const composer = page.getByLabel("Message", { exact: true })
  await composer.click()
  await expect(page.getByText("This widget kept taking over the keyboard")).toBeVisible()
  await expect(composer).toBeFocused()
  await page.keyboard.type("all of this is mine")
  await expect(composer).toHaveValue("all of this is mine")

  const widget = page.frameLocator('iframe[title="Widget: Form"]')
  const name = widget.getByLabel("Name", { exact: true })
  await name.click()
  await page.keyboard.type("for the widget")
  await expect(name).toHaveValue("for the widget")
  await page.keyboard.press("Tab")
  await expect(composer).not.toBeFocused()
  await page.keyboard.press("Escape")
  await expect(composer).toBeFocused()

  await widget.getByRole("link").click({ button: "middle" })
  await widget.getByRole("link").click({ modifiers: ["ControlOrMeta"] })
  await expect(name).toBeVisible()
  expect(page.context().pages()).toHaveLength(1)
})

// Catches a widget that blocks the page, and does so again whenever its chat is opened.
plainTest(
  "a widget that floods the page is stopped, and none runs by itself after a bad end",
  async ({ page }) => {
    const html = `<!doctype html><script>
    setInterval(() => { for (let n = 0; n < 20000; n++) parent.postMessage(1, "*") }, 1)</script>`
    await using talk = await startTalk((_, afterTool) =>
      afterTool ? { text: "There." } : { calls: [{ name: "createWidget", args: { title: "Flood", html } }] },
    )
    await talk.ask("flood", "Make it.")
    await signIn(page, talk.box)
    await openChat(page, talk, "flood")
    await expect(page.getByText("This widget slowed down the page")).toBeVisible()
    await page.getByRole("link", { name: "New chat" }).first().click()
    await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()

    await page.addInitScript('sessionStorage.setItem("widgets-running", "yes")')
    await page.reload()
    await openChat(page, talk, "flood")
    await expect(page.getByText("The page closed while a widget was running")).toBeVisible()
    await expect(page.locator("iframe")).toHaveCount(0)
  },
)

test(
  "memories are searched, edited, forgotten and restored",
  { tag: "@screen/memory" },
  async ({ page, box }) => {
    await createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } }).memory.forgetAll()
    await holdToasts(page)
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/memory`)
    await expect(page.getByText("No facts yet.")).toBeVisible()
    const field = page.getByLabel("A fact about you")
    for (const fact of ["Likes green tea.", "Has a sister in Turin."]) {
      await field.fill(fact)
      await page.keyboard.press("Enter")
      await expect(field).toHaveValue("")
    }
    const facts = page.getByRole("list", { name: "Saved facts" }).getByRole("listitem")
    await expect(facts).toHaveCount(2)
    await page.getByLabel("Search facts").fill("tea")
    await expect(facts).toHaveCount(1)
    await facts.getByRole("button", { name: "Edit fact" }).click()
    await page.getByLabel("Fact", { exact: true }).fill("Likes black tea.")
    await page.keyboard.press("Enter")
    await expect(facts).toContainText("Likes black tea.")
    await facts.getByRole("button", { name: "Forget" }).click()
    await expect(page.getByText("No facts match “tea”.")).toBeVisible()
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await expect(facts).toContainText("Likes black tea.")
    await page.getByLabel("Search facts").fill("")
    await expect(facts).toHaveCount(2)
    await page.getByRole("button", { name: "Forget everything" }).click()
    const question = page.getByRole("alertdialog", { name: "Forget 2 facts?" })
    await question.getByRole("button", { name: "Forget everything" }).click()
    await expect(page.getByText("No facts yet.")).toBeVisible()
  },
)

// Catches a key that is lost when something else is saved, or that is sent to the page.
test(
  "a web search is chosen, and its key is never shown again",
  { tag: "@screen/webSearch" },
  async ({ page, box }) => {
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/web-search`)
    await page.getByLabel("Search engine").selectOption("SearXNG")
    await page.getByLabel("SearXNG address").fill("http://user:secret@127.0.0.1:8888")
    await page.getByRole("button", { name: "Save" }).click()
    await expect(page.getByText("Must be an address without a user name, password or query")).toBeVisible()
    await page.getByLabel("Search engine").selectOption("Brave Search")
    await page.getByLabel("API key").fill("a-key-of-brave")
    await page.getByRole("button", { name: "Save" }).click()
    await expect(page.getByText("A key is saved.")).toBeVisible()
    await page.reload()
    await expect(page.getByText("A key is saved.")).toBeVisible()
    await expect(page.getByLabel("API key")).toHaveValue("")
    await page.getByRole("button", { name: "Remove key" }).click()
    await expect(page.getByText("Stored on this computer and never shown again.")).toBeVisible()
  },
)

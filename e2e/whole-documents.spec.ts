import { startModelServer, type ModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import type { RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

const animals = {
  "walrus.md": "# Walrus\n\nThe walrus sleeps in the harbour at noon.",
  "seal.md": "# Seal\n\nThe seal eats herring.",
}

/** Creates a folder with documents, and a remote model for questions about them. */
async function prepare(
  box: RunningBox,
  model: ModelServer,
  documents: Record<string, string> = animals,
): Promise<string> {
  const client = getClient(box)
  await client.settings.update({ body: { wholeLimit: { characters: 2_000_000, minutes: 30 } } }) // one journey lowers it
  const { vector } = await client.folders.create({ body: { name: "Animals" } })
  for (const [fileName, text] of Object.entries(documents))
    await client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName })
  const files = async () => (await client.files.list({ params: { id: vector.id } })).files
  await expect
    .poll(async () => (await files()).every(({ status }) => status === "completed"), { timeout: 30_000 })
    .toBe(true)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  const modelId = server.models[0]?.id ?? ""
  await client.models.choose({ body: { role: "chat", modelId } })
  return vector.id
}

// Catches a mode that isn't sent or remembered, a missing or remaining progress bar, and coverage that is lost on a reload or opens
// nothing.
test("whole documents are read, with progress shown and coverage listed by file", async ({ page, box }) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "The walrus sleeps in the harbour at noon [1]." }
  })
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)

  const choice = page.getByRole("button", { name: /^Reading mode:/ })
  await expect(choice).toHaveText("Automatic")
  await choice.press("Enter")
  await page.getByRole("menuitemradio", { name: /^Whole documents/ }).press("Enter")
  await expect(choice).toHaveText("Whole documents")
  await page.getByLabel("Message", { exact: true }).fill("What do the animals do?")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("progressbar", { name: /^Reading \d of \d parts?$/ })).toBeVisible()
  gate.resolve()

  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("The walrus sleeps in the harbour at noon")
  await expect(page.getByRole("progressbar")).toBeHidden()
  await page.reload()
  await expect(choice).toHaveText("Whole documents")
  const covered = answer.getByText(/^Read completely: .*2 files$/)
  await covered.click()
  const files = answer.getByRole("list", { name: "Files that were read for this answer" })
  await expect(files.getByRole("listitem")).toHaveCount(2)
  await expectAccessible(page)
  await files.getByRole("button", { name: /seal/ }).click()
  await expect(page.getByRole("complementary", { name: "Document" })).toContainText("The seal eats herring.")
})

// Catches a question that is lost because it needed too much, and one that can't be asked with less.
test("a question that needs too much reading can be asked with passages", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "In the harbour [1]." }))
  const folder = await prepare(box, model, { ...animals, "long.txt": "A walrus sleeps. ".repeat(100) })
  await getClient(box).settings.update({ body: { wholeLimit: { characters: 1_000, minutes: 30 } } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByRole("button", { name: /^Reading mode:/ }).click()
  await page.getByRole("menuitemradio", { name: /^Whole documents/ }).click()
  await page.getByLabel("Message", { exact: true }).fill("Where does the walrus sleep?")
  await page.keyboard.press("Enter")
  const waiting = page.getByRole("region", { name: "Queued questions" })
  await expect(waiting).toContainText(/That is [\d,]+ characters and about 1 minute/)
  await expect(waiting.getByRole("listitem")).toContainText("Where does the walrus sleep?")
  await waiting.getByRole("button", { name: "Answer from relevant passages instead" }).click()
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("In the harbour")
  await expect(waiting).toBeHidden()
})

/** So long that its estimate is over a minute. */
const long = "The walrus sleeps in the harbour at noon, and the boats lie still. ".repeat(9_000)

// Catches an answer that reads for minutes although the user wants it now.
test("a long reading can be replaced by passages", async ({ page, box }) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async ({ messages }) => {
    if (messages.at(-1)?.content?.startsWith("<part>") === true) await gate.promise
    return { text: "In the harbour [1]." }
  })
  const folder = await prepare(box, model, { "long.txt": long })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByLabel("Message", { exact: true }).fill("Summarise what the walrus does.")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await answer.getByRole("button", { name: "Use best passages instead" }).click()
  await expect(answer).toContainText("In the harbour")
  await expect(answer.getByText(/read:/)).toHaveCount(0)
  gate.resolve()
})

// Catches a long reading that can't be moved to the background because its estimate was short.
test("a reading estimated as short can be moved to the background when it takes long", async ({
  page,
  box,
}) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "In the harbour [1]." }
  })
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.clock.install()
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByLabel("Message", { exact: true }).fill("Summarise what the walrus does.")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("walrus.md")
  const leave = answer.getByRole("button", { name: "Continue in the background" })
  await expect(leave).toHaveCount(0)
  // The code that measures the time is loaded when reading starts, and may not be there yet.
  await expect(async () => {
    await page.clock.runFor(31_000)
    await expect(leave).toBeVisible({ timeout: 1_000 })
  }).toPass()
  gate.resolve()
})

// Must run after the previous test, because this one's completed reading shows the box how fast the model is. Catches an estimate that
// isn't shown in advance, reading that ends with its page, and a completion that is notified twice or opens nothing.
test("a long reading continues in the background and sends one notification at its end", async ({
  page,
  box,
  context,
}) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "The walrus sleeps in the harbour at noon [1]." }
  })
  const folder = await prepare(box, model, { "long.txt": long })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByRole("button", { name: /^Reading mode:/ }).click()
  await page.getByRole("menuitemradio", { name: /^Whole documents/ }).click()
  await expect(
    page.getByText(/^1 file to read, about \d+ minutes\. Rough estimate: this model/),
  ).toBeVisible()
  await page.getByLabel("Message", { exact: true }).fill("What does the walrus do?")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("long.txt")
  await expect(answer).toContainText(/about \d+ minutes left/)
  await expectAccessible(page)
  await answer.getByRole("button", { name: "Continue in the background" }).click()
  await expect(
    page.getByText("Reading continues. You’ll be notified when the answer is ready."),
  ).toBeVisible()
  await page.close()
  gate.resolve()
  const client = getClient(box)
  // Other notifications are about the questions of earlier journeys.
  const listNotifications = async () =>
    (await client.notifications.list({})).notifications.filter(({ title, description }) =>
      `${title} ${description ?? ""}`.includes("What does the walrus do?"),
    )
  await expect.poll(async () => (await listNotifications()).length, { timeout: 30_000 }).toBe(1)

  const again = await context.newPage()
  await again.goto(`${box.url}/#/`)
  await again.getByRole("button", { name: /^Inbox/ }).click()
  await again
    .getByText(/What does the walrus do\?: 1 of 1 line read\./)
    .first()
    .click()
  await expect(again.getByLabel("Answer", { exact: true }).getByText(/^Read completely:/)).toBeVisible()
  expect(await listNotifications()).toHaveLength(1)
})

// Catches a long reading that starts unannounced, from a template or from a typed question that needs whole documents.
test("templates and typed questions show the time before they are asked", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "It eats herring [1]." }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  const template = (name: RegExp) => page.getByRole("button", { name })
  await expect(template(/^Summary .*About 1 minute, 2 files$/)).toBeVisible()
  await expect(template(/^Table of facts .*About 1 minute, 2 files$/)).toBeVisible()
  const estimate = page.getByText("This will read everything: 2 files, about 1 minute.")
  const message = page.getByLabel("Message", { exact: true })
  await message.fill("What does the seal eat?")
  await message.fill("List all animals and what they do.")
  await expect(estimate).toBeVisible()
  await message.fill("What does the seal eat?")
  await expect(estimate).toBeHidden()

  await template(/^Differences/).click()
  const dialog = page.getByRole("dialog")
  for (const name of ["walrus.md", "seal.md"]) await dialog.getByRole("checkbox", { name }).check()
  await expect(dialog.getByText("About 1 minute, 2 files")).toBeVisible()
})

// Catches a time that includes files that were removed, or omits newly attached ones.
test("the time is updated when a file is attached or removed while the question stays", async ({
  page,
  box,
}) => {
  await using model = await startModelServer(() => ({ text: "It eats herring [1]." }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByLabel("Message", { exact: true }).fill("Summarise everything.")
  const estimate = (files: number) =>
    page.getByText(`This will read everything: ${files} files, about 1 minute.`)
  await expect(estimate(2)).toBeVisible()
  await page
    .getByLabel("Files for this chat")
    .setInputFiles({ name: "crane.md", mimeType: "text/markdown", buffer: Buffer.from("The crane rests.") })
  await expect(estimate(3)).toBeVisible()
  await page
    .getByRole("list", { name: "Files in this chat" })
    .getByRole("button", { name: /^Remove/ })
    .click()
  await expect(estimate(2)).toBeVisible()
})

// Catches files that are chosen but not used, and a second question that uses all files again.
test("a file's menu limits this and the next question to that file", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "It eats herring [1]." }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${folder}`)
  await page.getByRole("button", { name: "Actions for seal.md" }).click()
  await page.getByRole("menuitem", { name: "Ask about this file" }).click()
  const about = page.getByRole("list", { name: "Files the question is about" })
  await expect(about.getByRole("listitem")).toHaveText(["seal.md"])
  await page.getByRole("button", { name: /^Reading mode:/ }).click()
  await page.getByRole("menuitemradio", { name: /^Whole documents/ }).click()
  await page.getByLabel("Message", { exact: true }).fill("What does it eat?")
  await page.keyboard.press("Enter")
  await expect(page.getByText(/^Read completely: .*1 file$/)).toBeVisible()
  await page.reload()
  await expect(about.getByRole("listitem")).toHaveText(["seal.md"])
  await about.getByRole("button", { name: "Without seal.md" }).click()
  await expect(about).toBeHidden()
})

// Catches a model that reads for long with only dots shown, and a status that stays next to the answer.
test("before an answer has text, its status is shown", async ({ page, box }) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "In the harbour [1]." }
  })
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByLabel("Message", { exact: true }).fill("Where does the walrus sleep?")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer.getByText(/^Reading \d+ passages?…$/)).toBeVisible()
  gate.resolve()
  await expect(answer).toContainText("In the harbour")
  await expect(answer.getByText(/^Reading /)).toHaveCount(0)
})

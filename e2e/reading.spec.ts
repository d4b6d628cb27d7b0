import { startModelServer, type ModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import type { RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

const clientOf = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

const animals = {
  "walrus.md": "# Walrus\n\nThe walrus sleeps in the harbour at noon.",
  "seal.md": "# Seal\n\nThe seal eats herring.",
}

/** A folder with documents and a model elsewhere that is asked about them. */
async function prepare(
  box: RunningBox,
  model: ModelServer,
  documents: Record<string, string> = animals,
): Promise<string> {
  const client = clientOf(box)
  await client.settings.update({ body: { wholeLimit: { characters: 2_000_000, minutes: 30 } } }) // a journey lowers it
  const { vector } = await client.folders.create({ body: { name: "Animals" } })
  for (const [fileName, text] of Object.entries(documents))
    await client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName })
  const files = async () => (await client.files.list({ params: { id: vector.id } })).files
  await expect
    .poll(async () => (await files()).every(({ status }) => status === "completed"), { timeout: 30_000 })
    .toBe(true)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  const told = server.models[0]?.id ?? ""
  await client.models.choose({ body: { role: "chat", modelId: told } })
  return vector.id
}

// Would catch a choice that isn't sent or remembered, a bar that isn't there or stays, and coverage that is lost with a reload or
// opens nothing.
test("everything is read, seen to be read, and told by file", async ({ page, box }) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "The walrus sleeps in the harbour at noon [1]." }
  })
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)

  const choice = page.getByRole("button", { name: /^How much is read:/ })
  await expect(choice).toHaveText("Automatic")
  await choice.press("Enter")
  await page.getByRole("menuitemradio", { name: /^Everything/ }).press("Enter")
  await expect(choice).toHaveText("Everything")
  await page.getByLabel("Message", { exact: true }).fill("What do the animals do?")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("progressbar", { name: /^Reading \d of \d parts?$/ })).toBeVisible()
  gate.resolve()

  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("The walrus sleeps in the harbour at noon")
  await expect(page.getByRole("progressbar")).toBeHidden()
  await page.reload()
  await expect(choice).toHaveText("Everything")
  const covered = answer.getByText(/^Read whole: .*2 files$/)
  await covered.click()
  const files = answer.getByRole("list", { name: "Files that were read for this answer" })
  await expect(files.getByRole("listitem")).toHaveCount(2)
  await expectAccessible(page)
  await files.getByRole("button", { name: /seal/ }).click()
  await expect(page.getByRole("complementary", { name: "Document" })).toContainText("The seal eats herring.")
})

// Would catch a question that is lost because it wanted too much, and one that can't be asked with less.
test("what is too much to read can be asked with passages", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "In the harbour [1]." }))
  const folder = await prepare(box, model, { ...animals, "long.txt": "A walrus sleeps. ".repeat(100) })
  await clientOf(box).settings.update({ body: { wholeLimit: { characters: 1_000, minutes: 30 } } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByRole("button", { name: /^How much is read:/ }).click()
  await page.getByRole("menuitemradio", { name: /^Everything/ }).click()
  await page.getByLabel("Message", { exact: true }).fill("Where does the walrus sleep?")
  await page.keyboard.press("Enter")
  const waiting = page.getByRole("region", { name: "Questions that wait" })
  await expect(waiting).toContainText(/Reading everything would be [\d,]+ characters and take about 1 minute/)
  await expect(waiting.getByRole("listitem")).toContainText("Where does the walrus sleep?")
  await waiting.getByRole("button", { name: "Ask with passages" }).click()
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("In the harbour")
  await expect(waiting).toBeHidden()
})

/** So long that reading it is told to take more than a minute. */
const long = "The walrus sleeps in the harbour at noon, and the boats lie still. ".repeat(9_000)

// Would catch an answer that reads for minutes although its asker wants it now.
test("what takes long can be asked with passages instead", async ({ page, box }) => {
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
  await answer.getByRole("button", { name: "Passages instead" }).click()
  await expect(answer).toContainText("In the harbour")
  await expect(answer.getByText(/read:/)).toHaveCount(0)
  gate.resolve()
})

// Would catch a reading that nobody can leave because it was told to be short.
test("what was told to be short is offered to be left once it lasts", async ({ page, box }) => {
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
  const leave = answer.getByRole("button", { name: "Go on in the background" })
  await expect(leave).toHaveCount(0)
  // What counts the time is fetched when reading begins, and may not be there yet.
  await expect(async () => {
    await page.clock.runFor(31_000)
    await expect(leave).toBeVisible({ timeout: 1_000 })
  }).toPass()
  gate.resolve()
})

// After the one before: what it reads to its end tells the box how fast this model is.
// Would catch an estimate that isn't there before, reading that ends with its page, and an end that is told twice or opens nothing.
test("what takes long goes on in the background, and tells of its end once", async ({
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
  await page.getByRole("button", { name: /^How much is read:/ }).click()
  await page.getByRole("menuitemradio", { name: /^Everything/ }).click()
  await expect(page.getByText(/^1 file to read, about \d+ minutes\. A guess, since this model/)).toBeVisible()
  await page.getByLabel("Message", { exact: true }).fill("What does the walrus do?")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("long.txt")
  await expect(answer).toContainText(/about \d+ minutes left/)
  await expectAccessible(page)
  await answer.getByRole("button", { name: "Go on in the background" }).click()
  await expect(page.getByText("Reading goes on. You are told when the answer is there.")).toBeVisible()
  await page.close()
  gate.resolve()
  const client = clientOf(box)
  // Others are told of what earlier journeys asked.
  const told = async () =>
    (await client.notifications.list({})).notifications.filter(({ title, description }) =>
      `${title} ${description ?? ""}`.includes("What does the walrus do?"),
    )
  await expect.poll(async () => (await told()).length, { timeout: 30_000 }).toBe(1)

  const again = await context.newPage()
  await again.goto(`${box.url}/#/`)
  await again.getByRole("button", { name: /^Inbox/ }).click()
  await again
    .getByText(/What does the walrus do\?: 1 of 1 line read\./)
    .first()
    .click()
  await expect(again.getByLabel("Answer", { exact: true }).getByText(/^Read whole:/)).toBeVisible()
  expect(await told()).toHaveLength(1)
})

// Would catch a long reading that begins unannounced: from a template, or by a typed question that has everything read.
test("templates and typed questions tell the time before they are asked", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "It eats herring [1]." }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  const template = (name: RegExp) => page.getByRole("button", { name })
  await expect(template(/^Summary .*About 1 minute, 2 files$/)).toBeVisible()
  await expect(template(/^Table of facts .*About 1 minute, 2 files$/)).toBeVisible()
  const told = page.getByText("This has everything read: 2 files, about 1 minute.")
  const message = page.getByLabel("Message", { exact: true })
  await message.fill("What does the seal eat?")
  await message.fill("List all animals and what they do.")
  await expect(told).toBeVisible()
  await message.fill("What does the seal eat?")
  await expect(told).toBeHidden()

  await template(/^Differences/).click()
  const dialog = page.getByRole("dialog")
  for (const name of ["walrus.md", "seal.md"]) await dialog.getByRole("checkbox", { name }).check()
  await expect(dialog.getByText("About 1 minute, 2 files")).toBeVisible()
})

// Would catch a time that is told of files that aren't attached any more, or not of those that are since.
test("the time is told anew when a file is attached or taken away while the question stays", async ({
  page,
  box,
}) => {
  await using model = await startModelServer(() => ({ text: "It eats herring [1]." }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await page.getByLabel("Message", { exact: true }).fill("Summarise everything.")
  const told = (files: number) => page.getByText(`This has everything read: ${files} files, about 1 minute.`)
  await expect(told(2)).toBeVisible()
  await page
    .getByLabel("Files for this chat")
    .setInputFiles({ name: "crane.md", mimeType: "text/markdown", buffer: Buffer.from("The crane rests.") })
  await expect(told(3)).toBeVisible()
  await page
    .getByRole("list", { name: "Files of this chat" })
    .getByRole("button", { name: /^Remove/ })
    .click()
  await expect(told(2)).toBeVisible()
})

// Would catch files that are chosen and not asked about, and a second question that is about all again.
test("a file's menu asks about it alone, and so does the next question", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "It eats herring [1]." }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${folder}`)
  await page.getByRole("button", { name: "Actions on seal.md" }).click()
  await page.getByRole("menuitem", { name: "Ask about this file" }).click()
  const about = page.getByRole("list", { name: "Files that are asked about" })
  await expect(about.getByRole("listitem")).toHaveText(["seal.md"])
  await page.getByRole("button", { name: /^How much is read:/ }).click()
  await page.getByRole("menuitemradio", { name: /^Everything/ }).click()
  await page.getByLabel("Message", { exact: true }).fill("What does it eat?")
  await page.keyboard.press("Enter")
  await expect(page.getByText(/^Read whole: .*1 file$/)).toBeVisible()
  await page.reload()
  await expect(about.getByRole("listitem")).toHaveText(["seal.md"])
  await about.getByRole("button", { name: "Without seal.md" }).click()
  await expect(about).toBeHidden()
})

// Would catch dots alone while a model reads for long, and words that stay beside the answer.
test("before an answer has words it says what is being done", async ({ page, box }) => {
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

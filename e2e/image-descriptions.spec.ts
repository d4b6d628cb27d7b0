import { encodePng } from "../src/box/parsers/pages/encode-png.ts"
import { docxBytes, relationships } from "../src/box/parsers/testing/office-files.ts"
import { startSeeingServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const picture = encodePng({ width: 200, height: 200, pixels: new Uint8Array(160_000).fill(99) }, "rgba")
const report = docxBytes(
  '<w:p><w:r><w:t>Sightings.</w:t></w:r><w:r><w:drawing><a:blip r:embed="a"/></w:drawing></w:r></w:p>',
  {
    "word/_rels/document.xml.rels": relationships({ a: ["image", "media/a.png"] }),
    "word/media/a.png": picture,
  },
)

// Catches descriptions that are turned on without what they take, and those that look like text of the document.
test("a folder's settings show what descriptions of images take, and its search shows them as such", async ({
  page,
}) => {
  await using server = await startSeeingServer(() => "A chart of walrus sightings.")
  await using box = await startBox()
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { id } = (await client.folders.create({ body: { name: "Reports" } })).vector
  const file = new Blob([new Uint8Array(report)])
  await client.files.upload({ params: { id }, file, fileName: "report.docx" })
  const getFile = async () => (await client.files.list({ params: { id } })).files[0]
  await expect.poll(async () => (await getFile())?.status).toBe("completed")

  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${id}`)
  const dialog = page.getByRole("dialog", { name: "Folder settings" })
  const images = dialog.getByLabel("Images in documents")
  const openSettings = async () => {
    await page.getByRole("button", { name: "Folder actions" }).click()
    await page.getByRole("menuitem", { name: "Settings", exact: true }).click()
  }
  await openSettings()
  await images.selectOption("Recognise their text and describe them")
  await expect(dialog).toContainText(
    "For now, only text is recognised. No chat model that supports images is in use.",
  )
  await expect(dialog).toContainText("About 1 image would be described.")
  await expectAccessible(page, "the costs of image descriptions without a model")
  await dialog.getByRole("button", { name: "Cancel" }).click()

  const { models } = (await client.modelServers.add({ body: { name: "Seeing", url: server.url } })).server
  const modelId = models.find(({ name }) => name === "sees")?.id ?? ""
  await client.models.choose({ body: { role: "chat", modelId } })
  await openSettings()
  await images.selectOption("Recognise their text and describe them")
  await expect(dialog).toContainText("About 1 image would be sent to sees, one at a time.")
  expect(server.requests).toEqual([])
  await dialog.getByRole("button", { name: "Save", exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect
    .poll(async () => (await getFile())?.note)
    .toBe("A model described 1 of 1 image in this document.")
  await page.getByRole("tab", { name: "Test search" }).click()
  await page.getByLabel("Enter a question to test").fill("walrus")
  await page.keyboard.press("Enter")
  await expect(page.getByText("(described by a model) A chart of walrus sightings.")).toBeVisible()
})

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  jpegBytes,
  pngBytes,
  pngClaiming,
  quarteredPicture,
  quartersIn,
} from "../src/box/parsers/testing/picture-bytes.ts"
import { picturesSeen, startSeeingServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox } from "./running-box.ts"
import { drop, expect, signIn, test } from "./page-test.ts"

const secret = "N45.4642-E9.1900"

// Catches an image that can't be pasted, dropped or attached, one sent unchanged with its location, and one that isn't shown with its
// message or after a reload. Also catches one that can't be removed, and a hostile one that breaks the question or the chat.
test("images are pasted, dropped and attached, and are sent small and without their location", async ({
  page,
}, info) => {
  await using server = await startSeeingServer()
  await using box = await startBox()
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { models } = (await client.modelServers.add({ body: { name: "Seeing", url: server.url } })).server
  const getId = (model: string) => models.find(({ name }) => name === model)?.id ?? ""
  await client.models.choose({ body: { role: "chat", modelId: getId("sees") } })
  const save = (name: string, bytes: Buffer) => {
    const path = join(info.outputPath(), name)
    writeFileSync(path, bytes)
    return path
  }
  const photograph = jpegBytes(quarteredPicture(2_400, 1_600), secret, 6)
  const snapshot = jpegBytes(quarteredPicture(600, 400), secret, 6) // text is recognised in it sooner
  const foreignUrls: string[] = []
  page.on("request", (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith("http") && url.origin !== box.url) foreignUrls.push(request.url())
  })

  await signIn(page, box)
  const message = page.getByLabel("Message", { exact: true })
  const chips = page.getByRole("list", { name: "Files in this chat" })
  const sent = page.getByRole("list", { name: "Sent with this message" })
  await message.focus()
  await page.evaluate(`{
    const pasted = new DataTransfer()
    const bytes = Uint8Array.from(atob("${photograph.toString("base64")}"), (byte) => byte.charCodeAt(0))
    pasted.items.add(new File([bytes], "image.jpg", { type: "image/jpeg" }))
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: pasted, bubbles: true, cancelable: true }))
  }`)
  await expect(chips.getByRole("listitem")).toHaveCount(1)
  await expect(chips.locator("img")).toHaveJSProperty("complete", true)
  await expectAccessible(page, "a picture over the composer")
  await message.fill("What do you see?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("I see.")
  const [picture = Buffer.alloc(0)] = picturesSeen(server.requests.at(-1))
  expect(quartersIn(picture)).toEqual(["blue", "red", "green", "grey"])
  expect(picture.byteLength).toBeLessThan(photograph.byteLength)
  expect(server.received.some((text) => text.includes(secret))).toBe(false)
  await expect(sent.getByRole("img", { name: "image.jpg" })).toBeVisible()
  await expect(chips).toHaveCount(0)

  await drop(page, save("walk.jpg", snapshot))
  await page
    .getByLabel("Files for this chat")
    .setInputFiles(save("map.png", pngBytes(quarteredPicture(90, 60))))
  await expect(chips.getByRole("listitem")).toHaveCount(2)
  await message.fill("And these?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toHaveCount(2)
  await expect(page.getByLabel("Answer", { exact: true }).last()).toContainText("I see.")
  expect(picturesSeen(server.requests.at(-1))).toHaveLength(3)
  await page.reload()
  await expect(sent.last().getByRole("img")).toHaveCount(2)
  await expectAccessible(page, "pictures with messages")
  await sent.last().getByRole("button", { name: "Open map.png" }).press("Enter")
  await expect(page.getByRole("complementary").getByRole("img").first()).toBeVisible()
  await page.keyboard.press("Escape")
  await sent.last().getByRole("button", { name: "Remove map.png" }).press("Enter")
  await expect(sent.last().getByRole("img")).toHaveCount(1)

  await drop(page, save("bomb.png", pngClaiming(60_000, 60_000)))
  await expect(chips.getByRole("listitem")).toHaveCount(1)
  await message.fill("What is on this one?")
  await page.keyboard.press("Enter")
  const refused = page.getByLabel("Answer", { exact: true }).last()
  await expect(refused).toContainText("bomb.png: This image has 3,600 million pixels.")
  await expect(page.getByLabel("Your message").last()).toContainText("What is on this one?")
  await message.fill("Never mind.")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true }).last()).toContainText("I see.")

  await client.models.choose({ body: { role: "chat", modelId: getId("blind") } })
  await message.fill("Do you see them, too?")
  await drop(page, save("again.jpg", snapshot))
  await expect(chips.getByRole("listitem")).toHaveCount(1)
  await message.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true }).last()).toContainText("doesn't support images")
  // The user is informed before the model is called.
  await expect.poll(() => picturesSeen(server.requests.at(-1))).toHaveLength(0)
  expect(foreignUrls).toEqual([])
})

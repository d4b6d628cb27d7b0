import { expect, test } from "vitest"
import { createMemoryFile } from "../document/document-file.ts"
import { pngClaiming } from "../testing/picture-bytes.ts"
import { pagePicture } from "./page-pictures.ts"

const shown = (side: number) =>
  pagePicture({ name: "picture.png", file: createMemoryFile(pngClaiming(side, side)) }, 1, 600)

// Catches an image of one kilobyte that makes the page use gigabytes as soon as its chat is opened.
test("refuses to send the page an image that is too large to decode", async () => {
  await expect(shown(60_000)).rejects.toMatchObject({ reason: { code: "picture_too_large_to_show" } })
  expect(await shown(7_000)).toMatchObject({ mediaType: "image/png" })
})

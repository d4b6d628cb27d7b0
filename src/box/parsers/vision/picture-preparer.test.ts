import { expect, test } from "vitest"
import { spawnNodeChild, type Child } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { jpegBytes, quarteredPicture } from "../testing/picture-bytes.ts"
import { createPicturePreparer } from "./picture-preparer.ts"

const picture = jpegBytes(quarteredPicture(64, 48))
const { signal } = new AbortController()

/** Starts processes of which the first ones are killed at once. */
function createSpawn(ending: number) {
  const children: Child[] = []
  return {
    children,
    spawn(...options: Parameters<typeof spawnNodeChild>) {
      const child = spawnNodeChild(...options)
      if (children.push(child) <= ending) process.kill(child.pid ?? 0, "SIGKILL")
      return child
    },
  }
}

// Catches an image that is refused because of its process's previous image, or because its process was killed from outside.
test("retries an image once when its process ended", { tags: "unix" }, async () => {
  const { spawn, children } = createSpawn(1)
  await using preparer = createPicturePreparer({ spawn, logger: silentLogger })
  expect(await preparer.prepare(picture, signal)).toMatchObject({ width: 64, height: 48 })
  expect(children).toHaveLength(2)
})

test("doesn't retry endlessly", { tags: "unix" }, async () => {
  const { spawn, children } = createSpawn(9)
  await using preparer = createPicturePreparer({ spawn, logger: silentLogger })
  await expect(preparer.prepare(picture, signal)).rejects.toMatchObject({ code: "unavailable" })
  expect(children).toHaveLength(2)
})

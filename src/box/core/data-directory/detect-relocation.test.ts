import { cp, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, test } from "vitest"
import { claimDataDirectory } from "./claim.ts"
import { markerFile, readMarker, writeMarker, detectRelocation } from "./marker.ts"

let root: string, first: string, second: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "casella-settle-")))
  ;[first, second] = [join(root, "first"), join(root, "second")]
  claimDataDirectory(first)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const getMarker = (directory: string) => {
  const marker = readMarker(directory)
  if (marker === null || marker === "damaged") throw new Error("no marker")
  return marker
}

// Catches an owner who is notified again at every start, or never because the box ended too early.
it("reports a move until it is remembered", async () => {
  await rename(first, second)
  expect(detectRelocation(second)).toMatchObject({ change: "moved", from: first })
  const settled = detectRelocation(second)
  expect(settled.change).toBe("moved")
  settled.remember()
  expect(detectRelocation(second).change).toBeNull()
})

// Catches a move back, or a move followed by other data at the old location, that is mistaken for a copy.
it("doesn't treat a directory as a copy of another one at its old location", async () => {
  await rename(first, second)
  claimDataDirectory(first)
  expect(detectRelocation(second).change).toBe("moved")
  await writeFile(join(first, markerFile), "{")
  expect(detectRelocation(second).change).toBe("moved")
})

it("gives a copy a new identity at once and leaves the original unchanged", async () => {
  await cp(first, second, { recursive: true })
  const before = await readFile(join(first, markerFile), "utf8")
  expect(detectRelocation(second)).toMatchObject({ change: "copied", from: first })
  expect(detectRelocation(second).change).toBeNull()
  expect(getMarker(second)).toMatchObject({ place: second })
  expect(getMarker(second).id).not.toBe(getMarker(first).id)
  expect(await readFile(join(first, markerFile), "utf8")).toBe(before)
})

// Catches a directory that is mistaken for a copy of itself because a mount or a container reaches it by another path.
test("recognises the same directory by another path", { tags: "linux" }, async () => {
  await mkdir(second)
  const { id } = getMarker(first)
  writeMarker(first, {
    id,
    place: `/proc/self/root${first}`,
    hasDatabase: false,
    server: null,
    moving: false,
  })
  const settled = detectRelocation(first)
  expect(settled.change).toBeNull()
  settled.remember()
  expect(getMarker(first)).toMatchObject({ id, place: first })
})

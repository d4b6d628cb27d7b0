import { mkdir, mkdtemp, open, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { identityOf, openDocument } from "./opened-document.ts"
import type { ParserInput } from "./parser.ts"

let base: string
let input: ParserInput
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "opened-")))
  for (const [directory, text] of Object.entries({ inside: "harmless", outside: "secret" })) {
    await mkdir(join(base, directory))
    await writeFile(join(base, directory, "a.txt"), text)
  }
  const path = join(base, "inside", "a.txt")
  await using handle = await open(path)
  input = { path, name: "a.txt", identity: await identityOf(handle) }
})
afterEach(() => rm(base, { recursive: true }))

// Catches a file that is read by a name which has come to lead elsewhere.
test("what took a file's place after it was checked isn't opened", async () => {
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  await expect(openDocument(input)).rejects.toMatchObject({ code: "ELOOP" })
  await rm(join(base, "inside"), { recursive: true })
  await symlink(join(base, "outside"), join(base, "inside"))
  await expect(openDocument(input)).rejects.toMatchObject({ obstacle: "exchanged" })
})

// The same after it was opened, where parsers open it again and again.
test.runIf(process.platform === "linux")("what took its place while it is read isn't read", async () => {
  await using opened = await openDocument(input)
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  for (let times = 0; times < 2; times++) expect(await readFile(opened.input.path, "utf8")).toBe("harmless")
})

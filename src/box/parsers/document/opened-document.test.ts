import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  open,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { wholeOf } from "./document-file.ts"
import { lendDocument } from "../process/lent-document.ts"
import { identityOf, openDocument } from "./opened-document.ts"
import type { ParserInput } from "../parser.ts"

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
  await expect(openDocument(input)).rejects.toMatchObject({ transientCause: "exchanged" })
  await rm(join(base, "inside"), { recursive: true })
  await symlink(join(base, "outside"), join(base, "inside"))
  await expect(openDocument(input)).rejects.toMatchObject({ transientCause: "exchanged" })
})

// The same after it was opened, where parsers read it again and again.
test("what took its place while it is read isn't read", async () => {
  await using opened = await openDocument(input)
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  for (let times = 0; times < 2; times++) expect(String(await wholeOf(opened.input.file))).toBe("harmless")
})

// Catches a document that leads a parser elsewhere, and systems where a link can't be made.
test.each([
  ["a symbolic link", [symlink]],
  ["a second name", [() => Promise.reject(new Error("EPERM")), link]],
  ["a copy", [() => Promise.reject(new Error("EPERM")), copyFile]],
] as const)("a document is lent as %s, unless it is a link itself", async (_name, ways) => {
  const at = join(base, "lent")
  {
    using lent = await lendDocument({ path: input.path, name: "a.txt" }, at, ways)
    await using opened = await openDocument(lent.input)
    expect(String(await wholeOf(opened.input.file))).toBe("harmless")
    expect(lent.input.path).toBe(at)
  }
  await expect(readFile(at)).rejects.toMatchObject({ code: "ENOENT" })
  await rm(input.path)
  await symlink(join(base, "outside", "a.txt"), input.path)
  await expect(lendDocument(input, at, ways)).rejects.toMatchObject({ reason: { code: "gone" } })
  // a link to one would be a way to what lies around it
  const directory = { path: join(base, "inside"), name: "a.txt" }
  await expect(lendDocument(directory, at, ways)).rejects.toMatchObject({ reason: { code: "is_directory" } })
})

// The same between lending and opening.
test("what took a file's place after it was lent isn't opened", async () => {
  using lent = await lendDocument({ path: input.path, name: "a.txt" }, join(base, "lent"))
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  await expect(openDocument(lent.input)).rejects.toMatchObject({ transientCause: "exchanged" })
})

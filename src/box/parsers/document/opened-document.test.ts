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
import { readWhole } from "./document-file.ts"
import { lendDocument, getIdentity, openDocument } from "./opened-document.ts"
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
  input = { path, name: "a.txt", identity: await getIdentity(handle) }
})
afterEach(() => rm(base, { recursive: true }))

// Catches a file that is read by a name that now leads elsewhere.
test("doesn't open a file that replaced another after it was checked", async () => {
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  await expect(openDocument(input)).rejects.toMatchObject({ transientCause: "exchanged" })
  await rm(join(base, "inside"), { recursive: true })
  await symlink(join(base, "outside"), join(base, "inside"))
  await expect(openDocument(input)).rejects.toMatchObject({ transientCause: "exchanged" })
})

// Covers a replacement after opening, when parsers read the file repeatedly.
test("doesn't read a file that replaced another while it is read", async () => {
  await using opened = await openDocument(input)
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  for (let times = 0; times < 2; times++) expect(String(await readWhole(opened.input.file))).toBe("harmless")
})

// Catches a document that leads a parser elsewhere, and systems on which a link can't be created.
test.each([
  ["a symbolic link", [symlink]],
  ["a second name", [() => Promise.reject(new Error("EPERM")), link]],
  ["a copy", [() => Promise.reject(new Error("EPERM")), copyFile]],
] as const)("lends a document as %s, unless it is a link itself", async (_name, ways) => {
  const at = join(base, "lent")
  {
    using lent = await lendDocument({ path: input.path, name: "a.txt" }, at, ways)
    await using opened = await openDocument(lent.input)
    expect(String(await readWhole(opened.input.file))).toBe("harmless")
    expect(lent.input.path).toBe(at)
  }
  await expect(readFile(at)).rejects.toMatchObject({ code: "ENOENT" })
  await rm(input.path)
  await symlink(join(base, "outside", "a.txt"), input.path)
  await expect(lendDocument(input, at, ways)).rejects.toMatchObject({ reason: { code: "gone" } })
  // A link to a directory would give access to the files in it.
  const directory = { path: join(base, "inside"), name: "a.txt" }
  await expect(lendDocument(directory, at, ways)).rejects.toMatchObject({ reason: { code: "is_directory" } })
})

// Covers a replacement between lending and opening.
test("doesn't open a file that replaced another after it was lent", async () => {
  using lent = await lendDocument({ path: input.path, name: "a.txt" }, join(base, "lent"))
  await rename(input.path, join(base, "kept"))
  await symlink(join(base, "outside", "a.txt"), input.path)
  await expect(openDocument(lent.input)).rejects.toMatchObject({ transientCause: "exchanged" })
})

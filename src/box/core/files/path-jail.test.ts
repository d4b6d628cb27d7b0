import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, sep } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import {
  joinInside,
  makeDirectoryInside,
  numberedName,
  openInside,
  parseRelativePath,
  resolveInside,
  storedName,
} from "./path-jail.ts"

let base: string
let root: string
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-jail-")))
  root = join(base, "root")
  await mkdir(root)
  await writeFile(join(base, "secret.txt"), "secret")
})
afterAll(() => rm(base, { recursive: true, force: true }))

const dots = [
  "..",
  "．．",
  "․․",
  "‥",
  "%2e%2e",
  "%252e%252e",
  "%c0%ae%c0%ae",
  ".. ",
  " ..",
  "...",
  "..;",
  "..\u200b",
  ". .",
  ".\u202e.",
]
const separators = ["/", "\\", "//", "\\\\", "/./", "\\/", "／", "＼", "∕", "%2f", "%5c", "%252f", "%c0%af"]
const targets = ["secret.txt", "etc/passwd", "Windows\\win.ini", "a\0.txt"]
const devices = [
  "CON",
  "prn",
  "AUX",
  "nul",
  "COM1",
  "com9",
  "LPT1",
  "COM¹",
  "lpt³",
  "CONIN$",
  "CONOUT$",
  "CLOCK$",
]
const devicePaths = devices.flatMap((name) => [
  name,
  `${name}.txt`,
  `${name}.tar.gz`,
  `${name} .txt`,
  `${name}:`,
  `a/${name}/b.txt`,
  `${name}. `,
])
const absolute = [
  "/etc/passwd",
  "//server/share/x",
  "\\\\server\\share\\x",
  "\\\\?\\C:\\x",
  "\\\\.\\PhysicalDrive0",
  "\\??\\C:\\x",
  "C:\\x",
  "c:/x",
  "C:x",
  "z:\\..\\x",
  "/proc/self/environ",
  "/dev/null",
  "\\x",
  "/",
]
const climbs = dots.flatMap((dot) =>
  separators.flatMap((separator) =>
    targets.flatMap((target) => [1, 3].map((depth) => `${`${dot}${separator}`.repeat(depth)}${target}`)),
  ),
)
const inner = dots.flatMap((dot) =>
  separators.map((separator) => `a${separator}${dot}${separator}${dot}${separator}x.txt`),
)
const odd = [
  "a\0b.txt",
  "\0",
  "a/\0/b",
  "x.txt\0.pdf",
  "\ud800.txt",
  "a/",
  "a\\",
  "",
  " ",
  ".",
  "./",
  "./.",
  "a/.",
  "\u202e/..",
  "x.txt ",
  "x.txt.",
  "x.txt::$DATA",
  "a:b:$INDEX_ALLOCATION/x",
  "~/x",
  "$HOME/x",
  "`id`/x",
  "|x",
  "a\nb",
  "a\r\nb",
  "\u200e../x",
  "file:///etc/passwd",
  "x".repeat(300),
  `${"a/".repeat(40)}x`,
  "y".repeat(2000),
  "ℂ：\\x",
  "a/%00/b",
  ".casella-partial-1",
  "a/.casella-partial-x/y",
]
const hostile = [...climbs, ...inner, ...devicePaths, ...absolute, ...odd]

describe("hostile names", () => {
  // Catches any name that leads out of the folder, and a list that shrank by accident.
  test("are refused or stay inside the folder", async () => {
    expect(new Set(hostile).size).toBeGreaterThanOrEqual(500)
    for (const name of hostile) {
      let names: string[]
      try {
        names = parseRelativePath(name)
      } catch (error) {
        expect(error, JSON.stringify(name)).toMatchObject({
          code: "validation",
          details: [{ field: "relativePath" }],
        })
        continue
      }
      const path = await resolveInside(await makeDirectoryInside(root, names.slice(0, -1)), names.slice(-1))
      expect(path.startsWith(root + sep), JSON.stringify(name)).toBe(true)
      expect(names.join("/").normalize("NFKC")).not.toMatch(/(^|\/)\.\.(\/|$)|\\|\0/)
      await writeFile(path, "x") // the file system must agree that this is a single plain name
      expect((await realpath(path)).startsWith(root + sep)).toBe(true)
    }
    expect(await readFile(join(base, "secret.txt"), "utf8")).toBe("secret")
  })

  // Catches obvious attacks that are stored inside the folder instead of being refused.
  test("are refused in their obvious forms", () => {
    const plain = [
      "../x",
      "a/../../x",
      "..\\x",
      "/x",
      "\\x",
      "C:\\x",
      "c:x",
      "a\0b",
      "CON",
      "con.txt",
      "a/LPT1.pdf",
      "\\\\s\\x",
    ]
    for (const name of plain) expect(() => parseRelativePath(name), name).toThrow(AppError)
  })

  // Catches ordinary names that are refused or changed.
  test("are distinguished from ordinary ones", () => {
    const ordinary = [
      "a.txt",
      "Übersicht 2024.pdf",
      "a/b/c.md",
      "日本語/報告.txt",
      "100%25.txt",
      "..hidden",
      "a..b",
      "x (2).txt",
      "cons.txt",
      "#1 & co.md",
      "'q'.txt",
    ]
    for (const name of ordinary) expect(parseRelativePath(name).join("/")).toBe(name)
    expect(parseRelativePath("dir\\file.txt")).toEqual(["dir", "file.txt"])
    expect(parseRelativePath("./dir//file.txt")).toEqual(["dir", "file.txt"])
    expect(parseRelativePath("cafe\u0301.txt")).toEqual(["café.txt"])
    expect(parseRelativePath('what "is" this?.txt')).toEqual(["what _is_ this_.txt"])
  })

  // Catches the file name of an upload that can't be stored, or is stored in the wrong place.
  test("in uploads always become usable names", () => {
    for (const name of hostile) {
      const stored = storedName(name)
      expect(parseRelativePath(stored), JSON.stringify(name)).toEqual([stored])
    }
    expect(storedName("C:\\Users\\me\\report.pdf")).toBe("report.pdf")
    expect(storedName("con.txt")).toBe("_con.txt")
    expect(storedName("")).toBe("file")
  })
})

test("numbered names keep the extension and fit the file system", () => {
  expect(numberedName("a.tar.gz", 2)).toBe("a.tar (2).gz")
  expect(numberedName(".env", 3)).toBe(".env (3)")
  const long = numberedName(`${"é".repeat(200)}.pdf`, 12)
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255)
  expect(long).toMatch(/é \(12\)\.pdf$/)
})

describe("symbolic links", () => {
  // Catches outside files that are served, written, renamed or removed through a link anywhere in the path.
  test("never lead outside", async () => {
    await symlink(base, join(root, "out"))
    await symlink(join(base, "secret.txt"), join(root, "link.txt"))
    await expect(openInside(root, ["out", "secret.txt"])).rejects.toMatchObject({ code: "not_found" })
    await expect(openInside(root, ["link.txt"])).rejects.toMatchObject({ code: "not_found" })
    await expect(resolveInside(root, ["out", "secret.txt"])).rejects.toMatchObject({ code: "not_found" })
    await expect(resolveInside(join(root, "out"), ["secret.txt"])).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(makeDirectoryInside(root, ["out", "new"])).rejects.toMatchObject({ code: "conflict" })
    for (const name of ["..", ".", "", "../secret.txt", "real/../../secret.txt", "a\0b"]) {
      await expect(openInside(root, [name])).rejects.toMatchObject({ code: "not_found" })
      await expect(resolveInside(root, [name, "page.txt"])).rejects.toMatchObject({ code: "not_found" })
      await expect(makeDirectoryInside(root, ["made", name])).rejects.toMatchObject({ code: "not_found" })
      expect(() => joinInside(root, name)).toThrow(AppError)
    }
    expect(await readdir(root)).not.toContain("made")
    await expect(openInside(root, ["nothing.txt"])).rejects.toMatchObject({ code: "not_found" })
    // Names from a modified backup, longer than any file system accepts.
    for (const names of [["x".repeat(5_000)], ["x".repeat(5_000), "page.txt"]])
      await expect(openInside(root, names)).rejects.toMatchObject({ code: "not_found" })
    await mkdir(join(root, "plain"))
    await expect(openInside(root, ["plain"])).rejects.toMatchObject({ code: "not_found" })
  })

  // Catches a race in the check: the directory is replaced with a link while it is being opened.
  test("don't lead outside when they are swapped in while a file is opened", async () => {
    await mkdir(join(base, "elsewhere"))
    await writeFile(join(base, "elsewhere", "page.txt"), "secret")
    await mkdir(join(root, "real"))
    await writeFile(join(root, "real", "page.txt"), "mine")
    await symlink(join(base, "elsewhere"), join(root, "swap"))
    const enough = new AbortController()
    const swaps = (async () => {
      while (!enough.signal.aborted) {
        await rename(join(root, "real"), join(root, "kept"))
        await rename(join(root, "swap"), join(root, "real"))
        await rename(join(root, "real"), join(root, "swap"))
        await rename(join(root, "kept"), join(root, "real"))
        for (let turn = 0; turn < 8; turn++) await lstat(root) // gives opening a chance to succeed
      }
    })()
    let opened = 0
    for (let attempt = 0; attempt < 400; attempt++) {
      const handle = await openInside(root, ["real", "page.txt"]).catch((error: unknown) => {
        expect(error).toMatchObject({ code: "not_found" })
        return null
      })
      if (!handle) continue
      expect(await handle.readFile("utf8")).toBe("mine")
      await handle.close()
      opened++
    }
    enough.abort()
    await swaps
    expect(opened).toBeGreaterThan(0)
  })
})

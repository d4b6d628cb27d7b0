import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "casella-cache-"))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Where a program keeps what it compiles once it was asked to; empty: nowhere. */
function kept(): string {
  const module = pathToFileURL(join(import.meta.dirname, "compile-cache.ts")).href
  const code = `import { getCompileCacheDir } from "node:module"
import { keepCompiled } from "${module}"
keepCompiled()
process.stdout.write(getCompileCacheDir() ?? "")`
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const options = { env: { ...env, XDG_CACHE_HOME: home }, encoding: "utf8" } as const
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], options)
}

describe("what is compiled", { tags: "linux" }, () => {
  // Would catch: a cache that is never used.
  it("is kept in the user's cache", () => {
    expect(kept()).toContain(join(home, "casella", "compiled"))
  })

  // Would catch: somebody else's code, put where the box takes what it has compiled from.
  it.each([
    ["a cache that others may write into", () => chmodSync(home, 0o777)],
    [
      "a directory in it that others may write into",
      () => {
        mkdirSync(join(home, "casella"))
        chmodSync(join(home, "casella"), 0o770)
      },
    ],
    [
      "a link to elsewhere",
      () => {
        mkdirSync(join(home, "elsewhere"))
        symlinkSync("elsewhere", join(home, "casella"))
      },
    ],
    ["a cache that can't be made", () => writeFileSync(join(home, "casella"), "")],
  ])("isn't kept in %s", (_what, spoil) => {
    spoil()
    expect(kept()).toBe("")
  })
})

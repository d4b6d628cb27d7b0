import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "casella-cache-"))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Returns the directory in which a program caches compiled code after it enabled the cache; empty: none. */
function kept(): string {
  const module = pathToFileURL(join(import.meta.dirname, "compile-cache.ts")).href
  const code = `import { getCompileCacheDir } from "node:module"
import { cacheCompiledCode } from "${module}"
cacheCompiledCode()
process.stdout.write(getCompileCacheDir() ?? "")`
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const options = { env: { ...env, XDG_CACHE_HOME: home }, encoding: "utf8" } as const
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], options)
}

describe("compiled code", { tags: "linux" }, () => {
  // Catches a cache that is never used.
  it("is kept in the user's cache directory", () => {
    expect(kept()).toContain(join(home, "casella", "compiled"))
  })

  // Catches another user's code in the directory from which the box loads compiled code.
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

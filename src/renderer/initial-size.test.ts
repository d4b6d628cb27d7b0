import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import bounds from "../../bench/bounds.json" with { type: "json" }

const built = join(import.meta.dirname, "../../out/renderer")

// Catches an import that makes everyone load what only some pages need, such as the contract's schemas.
test("keeps the page's first load small and in few files", { tags: "build" }, () => {
  const index = readFileSync(join(built, "index.html"), "utf8")
  const scripts = [...index.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) =>
    readFileSync(join(built, path ?? "")),
  )
  const kilobytes = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0) / 1000
  expect(scripts.length).toBeGreaterThan(0)
  const styles = [...index.matchAll(/"\/assets\/[^"]+\.css"/g)]
  expect(scripts.length + styles.length).toBeLessThanOrEqual(bounds.page.initialRequests)
  expect(kilobytes).toBeLessThanOrEqual(bounds.page.initialKilobytesGzip)
  expect(scripts.filter((script) => script.includes("ZodError"))).toEqual([])
})

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { routes } from "../src/renderer/lib/navigation/routes.ts"

const directory = join(import.meta.dirname, "../e2e")
const tags = new Set(
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".spec.ts"))
    .flatMap((path) => readFileSync(join(directory, path), "utf8").match(/@screen\/\w+/g) ?? []),
)

// Catches a new screen that `npm test` never opens.
it("each screen has a journey in `npm test`", () => {
  const screens = Object.entries(routes).filter(([, address]) => typeof address === "string")
  expect(screens.length).toBeGreaterThan(30)
  expect(screens.map(([name]) => `@screen/${name}`).filter((tag) => !tags.has(tag))).toEqual([])
})

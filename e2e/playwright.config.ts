import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { defineConfig } from "@playwright/test"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findTestBrowser } from "../scripts/setup.mjs"
import { shuffle } from "../scripts/shuffle.ts"

const executablePath = (findTestBrowser as () => string | undefined)()
const out = (name: string) => join(import.meta.dirname, "../out", name)

/**
 * One project for each file. Playwright starts new processes for each project, so each file has its own server, browser and worker, and
 * doesn't depend on other files. The order of files is random; the journeys of a file keep their order.
 */
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".spec.ts"))
  .map((path) => ({ name: basename(path, ".spec.ts"), testMatch: path.replaceAll("\\", "/") }))
  .toSorted((one, other) => one.name.localeCompare(other.name))

export default defineConfig({
  testDir: ".",
  globalSetup: "../scripts/test-setup.ts",
  outputDir: "../out/e2e",
  timeout: 180_000,
  expect: { timeout: 45_000 }, // as long as in src/shared/testing/wait-for.ts
  retries: process.env["CI"] ? 1 : 0, // not all journeys have been seen to pass on a busy computer yet
  workers: 3, // for two cores, because journeys also wait
  projects: shuffle(files, Number(process.env["CASELLA_TEST_SEED"] ?? 0)),
  reporter: [
    ["list"],
    ["../scripts/failures.ts", { path: out("failures-e2e.txt") }],
    ["../scripts/skipped-journeys.ts", { path: out("skipped-e2e.txt") }],
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-gpu"],
    },
  },
})

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "@playwright/test"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findTestBrowser } from "../scripts/setup.mjs"
import { shuffle } from "../scripts/shuffle.ts"

const executablePath = (findTestBrowser as () => string | undefined)()
const out = (name: string) => join(import.meta.dirname, "../out", name)

/**
 * Playwright runs a project's files in alphabetical order, so a random order needs several projects with random files. Files of a project
 * share processes, because starting one costs more than most journeys. Each file has its own box and each journey its own profile; journeys
 * of a file keep their order. The longest files start first, so that the other processes don't wait for them at the end.
 */
const projectCount = 4
const longFiles = new Set(
  ["accessibility", "chat-ids", "isolated-network", "narrow", "pending-approvals", "screen-readers"].map(
    (name) => `${name}.spec.ts`,
  ),
)
const files = shuffle(
  readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".spec.ts"))
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted(),
  Number(process.env["CASELLA_TEST_SEED"] ?? 0),
)
const shortFiles = files.filter((file) => !longFiles.has(file))
const projects = [
  { name: "long", testMatch: files.filter((file) => longFiles.has(file)) },
  ...Array.from({ length: projectCount }, (_, index) => ({
    name: `part ${index + 1}`,
    testMatch: shortFiles.filter((_, at) => at % projectCount === index),
  })),
]

export default defineConfig({
  testDir: ".",
  globalSetup: "../scripts/test-setup.ts",
  outputDir: "../out/e2e",
  timeout: 180_000,
  expect: { timeout: 45_000 }, // same timeout as in src/shared/testing/wait-for.ts
  workers: 4, // for two cores, because journeys also spend time waiting
  projects,
  reporter: [
    ["list"],
    ["../scripts/failures.ts", { path: out("failures-e2e.txt") }],
    ["../scripts/skipped-journeys.ts", { path: out("skipped-e2e.txt") }],
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: "reduce" }, // journeys otherwise take a quarter longer, waiting for animations
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-gpu"],
    },
  },
})

import { join } from "node:path"
import { defineConfig } from "@playwright/test"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findTestBrowser } from "../scripts/setup.mjs"

const executablePath = (findTestBrowser as () => string | undefined)()

export default defineConfig({
  retries: process.env["CI"] ? 1 : 0, // a busy machine may starve the browser; the report still calls it flaky
  testDir: ".",
  globalSetup: "../scripts/test-server.ts",
  outputDir: "../out/e2e",
  timeout: 120_000,
  expect: { timeout: 40_000 }, // a model's first answer on a busy machine
  workers: 3, // each has a box of its own; for two cores, because journeys also wait
  reporter: [
    ["list"],
    ["../scripts/skipped-journeys.ts", { path: join(import.meta.dirname, "../out/skipped-e2e.txt") }],
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-gpu"],
    },
  },
})

import { defineConfig } from "@playwright/test"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findBrowser } from "../scripts/setup.mjs"

const executablePath = (findBrowser as () => string | undefined)()

export default defineConfig({
  testDir: ".",
  outputDir: "../out/e2e",
  timeout: 90_000,
  expect: { timeout: 20_000 },
  workers: 1,
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-gpu"],
    },
  },
})

import { defineConfig } from "@playwright/test"

/** Run by own-network.spec.ts, in a network that it has made. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.journey.ts",
  outputDir: "../../out/e2e-own-network",
  timeout: 180_000,
  expect: { timeout: 40_000 },
  workers: 1,
  reporter: [["list"]],
})

import { defineConfig } from "@playwright/test"

/** Used by isolated-network.spec.ts, inside the network that it creates. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.journey.ts",
  outputDir: "../../out/e2e-isolated-network",
  timeout: 180_000,
  expect: { timeout: 40_000 },
  workers: 1,
  reporter: [["list"]],
})

import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    retry: process.env["CI"] ? 1 : 0, // a busy machine may starve a child process; the report still names what was tried again
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

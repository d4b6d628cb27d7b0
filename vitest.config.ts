import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { endpoints } from "./scripts/endpoints.ts"
import { needs } from "./scripts/needs.ts"

export default defineConfig({
  plugins: [endpoints()],
  test: {
    reporters: [
      "default",
      ["./scripts/unit-failures.ts", { path: join(import.meta.dirname, "out/unit-failures.txt") }],
      ["./scripts/skipped-tests.ts", { path: join(import.meta.dirname, "out/skipped-unit.txt"), needs }],
    ],
    tags: Object.entries(needs).map(([name, { what, works }]) => ({
      name,
      description: what,
      ...(works() ? {} : { skip: true }),
    })),
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts", "bench/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 3, // for two cores: a fifth of the time is waiting for disks, processes and time limits
    isolate: false, // else loading the box for each file takes as long as its tests; what a test changes for all it puts back
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "out/.compile-cache") }, // for programs that tests start from source
    retry: process.env["CI"] ? 1 : 0, // a busy machine may starve a child process; the report still names what was tried again
    expect: { poll: { timeout: 20_000 } }, // what is waited for comes later on a busy machine
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

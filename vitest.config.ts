import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { endpoints } from "./scripts/endpoints.ts"
import { needs } from "./scripts/needs.ts"

/**
 * With `CASELLA_TEST_DATABASE=postgres`: whatever asks for rows, on a server. Whose rows are in a file by their nature (its room, its
 * damage, its locks, what a killed process leaves of it) isn't among them, nor is what is about models and hardly about rows.
 */
const onPostgres =
  process.env["CASELLA_TEST_DATABASE"] === "postgres"
    ? [
        "src/box/core/database/*.test.ts",
        "src/box/core/database/postgres/*.test.ts",
        "src/box/core/data-directory/move-rows.test.ts",
        "src/box/core/objects/*.test.ts",
        "src/box/features/{accounts,assistants,audit,automations,chat,deletions,filing,folders,memory,notifications,operation,privacy,projects,questions,queue,quotas,support}/**/*.test.ts",
        "src/box/features/files/*.test.ts",
        "src/box/features/files/{ingestion,names,passages,rows,web-pages}/*.test.ts",
        "src/box/features/integrations/*.test.ts",
        "src/box/features/settings/*.test.ts",
        "src/box/{isolation,scoped-keys,mcp-server,objects,filing-asked,filing-clerk}.test.ts",
        "src/box/commands/move-files.test.ts",
        "src/box/tools/memory.test.ts",
      ]
    : undefined
const run = onPostgres ? "postgres" : "unit"
const others = [
  "**/disk-full.test.ts",
  "**/cut-*.test.ts",
  "**/folders/{list-cost,removal}.test.ts",
  "**/transcript/chat-removal.test.ts",
  "**/ingestion-batches.test.ts",
  "**/chat/{turn/prompt,reading}/**",
  "**/tool-calls/injection.test.ts",
]

export default defineConfig({
  plugins: [endpoints()],
  test: {
    reporters: [
      "default",
      ["./scripts/unit-failures.ts", { path: join(import.meta.dirname, `out/${run}-failures.txt`) }],
      ["./scripts/skipped-tests.ts", { path: join(import.meta.dirname, `out/skipped-${run}.txt`), needs }],
    ],
    tags: Object.entries(needs).map(([name, { what, works }]) => ({
      name,
      description: what,
      ...(works() ? {} : { skip: true }),
    })),
    globalSetup: "scripts/test-server.ts",
    include: onPostgres ?? ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(onPostgres ? others : [])],
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

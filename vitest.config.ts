import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { endpoints } from "./scripts/endpoints.ts"
import { UnitFailures } from "./scripts/failures.ts"
import { needs } from "./scripts/needs.ts"
import { shuffle } from "./scripts/shuffle.ts"
import SkippedTests from "./scripts/skipped-tests.ts"
import { readSlowTests, TestCosts } from "./scripts/test-costs.ts"
import { withoutSecurityCheck } from "./scripts/security-checks.ts"

const root = import.meta.dirname

/** Tests that start a PostgreSQL server themselves. They are part of the PostgreSQL check, because the database they run on is theirs. */
const withOwnServer = [
  "src/box/core/database/postgres/*.test.ts",
  "src/box/core/database/copy-rows.test.ts",
  "src/box/core/data-directory/move-rows.test.ts",
]

/**
 * With `CASELLA_TEST_DATABASE=postgres`: runs the tests of features that store rows, on a PostgreSQL server. It excludes tests about a
 * database file (its size, damage, locks, the remains of a killed process) and tests about models, which hardly store rows.
 */
const onPostgres =
  process.env["CASELLA_TEST_DATABASE"] === "postgres"
    ? [
        ...withOwnServer,
        "src/box/core/database/*.test.ts",
        "src/box/core/objects/*.test.ts",
        "src/box/features/{accounts,assistants,audit,automations,chat,deletions,filing,folders,memory,notifications,operation,privacy,projects,questions,queue,quotas,support}/**/*.test.ts",
        "src/box/features/files/*.test.ts",
        "src/box/features/files/{ingestion,names,passages,rows,web-pages}/*.test.ts",
        "src/box/features/integrations/*.test.ts",
        "src/box/features/settings/*.test.ts",
        "src/box/{isolation,scoped-keys,mcp-server,objects,filing-asked,filing-clerk,filtered-search,generated-files}.test.ts",
        "src/box/commands/move-files.test.ts",
        "src/box/tools/memory.test.ts",
      ]
    : undefined
const notOnPostgres = [
  "**/disk-full.test.ts",
  "**/interrupted-*.test.ts",
  "**/folders/{list-cost,removal}.test.ts",
  "**/transcript/chat-removal.test.ts",
  "**/ingestion-batches.test.ts",
  "**/chat/{turn/prompt,reading}/**",
  "**/tool-calls/injection.test.ts",
]

/** `CASELLA_TESTS`: runs only the fast test files, only the slow ones (scripts/slow-tests.json), or both. Otherwise, any file can be named. */
const speed = process.env["CASELLA_TESTS"] ?? "all"
const seconds = readSlowTests()
const slow = Object.keys(seconds).filter((file) => existsSync(join(root, file)))
const all = ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts", "bench/**/*.test.ts"]
const page = "src/renderer/**"
const elsewhere = speed === "all" ? [] : withOwnServer
const run = onPostgres ? "postgres" : speed === "slow" ? "slow" : "unit"

const projects = {
  // The page's modules contain state, so each of its test files has its own copies.
  page: {
    include: [`${page}/*.test.{ts,tsx}`],
    exclude: slow,
    isolate: true,
    pool: "threads" as const,
  },
  // The servers' modules contain no state and take as long to load as their tests take to run, so test files share them
  // (unchanged-process.ts).
  servers: { include: all, exclude: [...slow, ...elsewhere, page], isolate: false },
  slow: { include: slow, exclude: elsewhere, isolate: false },
  postgres: { include: onPostgres ?? [], exclude: notOnPostgres, isolate: false },
}
const chosen: Record<string, (keyof typeof projects)[]> = {
  fast: ["page", "servers"],
  slow: ["slow"],
  both: ["page", "servers", "slow"],
  all: ["page", "servers", "slow"],
}

/** Minimum seconds of a test file that starts among the first, so that no process is left with it when the others have finished. */
const longSeconds = 30

/**
 * Runs files in an order that the seed determines, the long ones first. Files of a project stay together: a process that gets a file of
 * another project ends, and the next one loads all modules again.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      (seconds[relative(root, moduleId).replaceAll("\\", "/")] ?? 0) >= longSeconds
    const sorted = files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1))
    return shuffle(sorted, this.ctx.config.sequence.seed).toSorted(
      (one, other) =>
        other.project.name.localeCompare(one.project.name) || Number(isLong(other)) - Number(isLong(one)),
    )
  }
}

export default defineConfig({
  plugins: [endpoints(), withoutSecurityCheck(process.env["CASELLA_WITHOUT_CHECK"])],
  test: {
    reporters: [
      "default",
      new UnitFailures({ path: join(root, `out/failures-${run}.txt`), onPostgres: onPostgres !== undefined }),
      new SkippedTests({ path: join(root, `out/skipped-${run}.txt`), needs }),
      ...(onPostgres ? [] : [new TestCosts({ path: join(root, "out/test-costs.json") })]),
    ],
    tags: Object.entries(needs).map(([name, { what, works }]) => ({
      name,
      description: what,
      ...(works() ? {} : { skip: true }),
    })),
    globalSetup: "scripts/test-setup.ts",
    setupFiles: "src/shared/testing/unchanged-process.ts",
    pool: "forks",
    maxWorkers: 3, // for two cores, because a fifth of the time is spent waiting for disks, processes and timeouts
    sequence: {
      shuffle: { files: true, tests: true },
      sequencer: LongFirst,
      seed: Number(process.env["CASELLA_TEST_SEED"] ?? Date.now() % 1_000_000),
    },
    env: { NODE_COMPILE_CACHE: join(root, "out/.compile-cache") }, // for processes that tests start from source
    expect: { poll: { timeout: 45_000 } }, // the same as in src/shared/testing/wait-for.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: (onPostgres ? (["postgres"] as const) : (chosen[speed] ?? [])).map((name) => {
      const { exclude, ...project } = projects[name]
      return { extends: true, test: { name, ...project, exclude: [...configDefaults.exclude, ...exclude] } }
    }),
  },
})

import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { useTestServer } from "../src/box/core/database/testing/test-database.ts"
import { startTestPostgres } from "../src/shared/testing/test-postgres.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { ensureBuilt } from "./setup.mjs"

/** Several times what the tests of a run hold in their temporary directory at once. */
const neededMemory = 8 * 1024 ** 3

/** Runs `mount` or `umount`; returns whether it worked. */
const tryMount = (...[command = "", ...args]: string[]) =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

/**
 * Keeps a directory's files in memory, so that no test waits for the disk, if there is room and the user may mount. A set `TMPDIR` stays
 * where it is. Tests kill processes but never the system, so they find the same files as on a disk. Returns whether it is in memory.
 */
const keepInMemory = (directory: string): boolean =>
  process.platform === "linux" &&
  process.env["TMPDIR"] === undefined &&
  process.availableMemory() >= neededMemory &&
  tryMount("mount", "-t", "tmpfs", "-o", "mode=1777", "casella-tests", directory)

/** Frees the memory that killed runs hold. The names of the directories contain the process IDs. */
async function removeLeftovers(): Promise<void> {
  if (process.platform !== "linux") return
  for (const line of (await readFile("/proc/mounts", "utf8")).split("\n")) {
    const [, directory, pid] = /^casella-tests (\S+-(\d+)-\w+) tmpfs /.exec(line) ?? []
    if (directory === undefined || existsSync(`/proc/${pid}`) || !tryMount("umount", "-l", directory))
      continue
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Builds the programs that tests start, if a source is newer. Creates a temporary directory for the tests, and removes it afterwards with
 * everything that tests and killed programs left there. With `CASELLA_TEST_DATABASE=postgres`, starts a PostgreSQL server for the tests'
 * rows and stops it at the end.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  ;(ensureBuilt as () => void)()
  await removeLeftovers()
  const temporary = await mkdtemp(join(tmpdir(), `casella-tests-${process.pid}-`))
  const isInMemory = keepInMemory(temporary)
  await chmod(temporary, 0o1777) // some tests start programs as another user
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = temporary
  const server = process.env["CASELLA_TEST_DATABASE"] === "postgres" ? startTestPostgres() : undefined
  if (server) await useTestServer(await server.createDatabase())
  return async () => {
    await server?.[Symbol.asyncDispose]()
    if (isInMemory) tryMount("umount", "-l", temporary)
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}

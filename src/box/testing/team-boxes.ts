import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { startTestObjectStore, type TestObjectStore } from "../../shared/testing/test-object-store.ts"
import { startTestPostgres, type TestPostgres } from "../../shared/testing/test-postgres.ts"
import { spawnBoxProcess, type StartingBoxProcess } from "./box-process.ts"

/** Servers that share a PostgreSQL database, an object store and the secrets key. One is active, the others are standby servers. */
export interface TeamBoxes extends AsyncDisposable {
  store: TestObjectStore
  server: TestPostgres
  databaseUrl: string
  /** Starts a box with a data directory of this name. */
  begin(name: string, changes?: NodeJS.ProcessEnv, flags?: string[]): StartingBoxProcess
  /** Runs a statement and returns the rows. */
  asked(statement: string): Promise<Record<string, unknown>[]>
}

const waitsLine = "This one takes its place when it ends"

export async function startTeamBoxes(): Promise<TeamBoxes> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-team-"))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const store = stack.use(await startTestObjectStore())
  const server = stack.use(startTestPostgres())
  const url = await server.createDatabase()
  const env = {
    CASELLA_DATABASE_URL: url,
    ...store.variables("team"),
    CASELLA_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  }
  const begun: StartingBoxProcess[] = []
  stack.defer(async () => {
    for (const { child } of begun) {
      child.kill("SIGKILL")
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    }
  })
  const resources = stack.move()
  return {
    store,
    server,
    databaseUrl: url,
    begin(name, changes = {}, flags = []) {
      const box = spawnBoxProcess(join(directory, name), flags, {
        env: { ...env, ...changes },
      })
      begun.push(box)
      return box
    },
    async asked(statement) {
      const client = new Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows
      } finally {
        await client.end()
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Waits until a standby server listens, and returns its URL. */
export async function waitUntilStandby({ child, stderr }: StartingBoxProcess): Promise<{ url: string }> {
  const signal = AbortSignal.timeout(60_000)
  for (;;) {
    const line = stderr()
      .split("\n")
      .findLast((each) => each.includes(waitsLine))
    if (line !== undefined) return JSON.parse(line) as { url: string }
    if (!child.stderr) throw new Error("Nobody reads what it says.")
    await once(child.stderr, "data", { signal })
  }
}

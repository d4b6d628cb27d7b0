import SqliteDatabase from "better-sqlite3"
import { databasePath } from "../../src/box/start/open-data.ts"
import type { Fault } from "./fault.ts"

const named = { while: "it goes on", by: /Another program is using Casella's database/ } as const
const maxConcurrentTries = 6

/** Holds SQLite's lock until it is disposed, like a program that opens the database and changes something. */
function lockDatabase(dataDir: string): Disposable {
  const database = new SqliteDatabase(databasePath(dataDir))
  database.exec("BEGIN IMMEDIATE")
  return {
    [Symbol.dispose]() {
      database.exec("ROLLBACK")
      database.close()
    },
  }
}

const released: Fault = {
  name: "database locked by another program, then released",
  named,
  async underLoad({ dataDir, random, afterWrites, afterTries, strikes }) {
    await afterWrites(5)
    {
      using _ = lockDatabase(dataDir)
      await strikes()
      await afterTries(random.below(maxConcurrentTries))
    }
    await afterWrites(10)
    return { end: "SIGTERM" }
  },
}

/** The box must end even though it can't write. */
const lockedUntil = (end: "SIGKILL" | "SIGTERM"): Fault => {
  let lock: Disposable | undefined
  return {
    name: `database locked by another program, and ${end}`,
    named,
    async underLoad({ dataDir, random, afterWrites, afterTries, strikes }) {
      await afterWrites(5)
      lock = lockDatabase(dataDir)
      await strikes()
      await afterTries(random.below(maxConcurrentTries))
      return { end }
    },
    async whileStopped() {
      lock?.[Symbol.dispose]()
    },
  }
}

/** Someone opens the database with another program. */
export const lockFaults: readonly Fault[] = [released, lockedUntil("SIGKILL"), lockedUntil("SIGTERM")]

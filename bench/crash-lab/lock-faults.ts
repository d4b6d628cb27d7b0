import SqliteDatabase from "better-sqlite3"
import { databasePath } from "../../src/box/start/open-data.ts"
import type { Fault } from "./fault.ts"

const named = { while: "it goes on", by: /Another program is using Casella's database/ } as const
const mostTriesMeanwhile = 6

/** Holds SQLite's lock, as a program does that looks into the database and changes something, until it is disposed. */
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
      await afterTries(random.below(mostTriesMeanwhile))
    }
    await afterWrites(10)
    return { end: "SIGTERM" }
  },
}

/** The box must end although it can't write. */
const lockedUntil = (end: "SIGKILL" | "SIGTERM"): Fault => {
  let lock: Disposable | undefined
  return {
    name: `database locked by another program, and ${end}`,
    named,
    async underLoad({ dataDir, random, afterWrites, afterTries, strikes }) {
      await afterWrites(5)
      lock = lockDatabase(dataDir)
      await strikes()
      await afterTries(random.below(mostTriesMeanwhile))
      return { end }
    },
    async atRest() {
      lock?.[Symbol.dispose]()
    },
  }
}

/** Who looks into the database with a program of their own. */
export const lockFaults: readonly Fault[] = [released, lockedUntil("SIGKILL"), lockedUntil("SIGTERM")]

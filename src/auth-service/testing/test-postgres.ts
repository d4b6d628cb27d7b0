import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"

export interface TestPostgres extends AsyncDisposable {
  /** Address of a new, empty database. */
  createDatabase(): Promise<string>
}

/** Debian keeps PostgreSQL's programs out of the path, one directory for each version. */
const installed = "/usr/lib/postgresql"

/** Where the programs of its newest version are, or null where none is installed. */
export function findPostgres(): string | null {
  if (!existsSync(installed)) return null
  const directories = readdirSync(installed).map((version) => join(installed, version, "bin"))
  return directories.findLast((directory) => existsSync(join(directory, "initdb"))) ?? null
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

/** A PostgreSQL server of its own in a temporary directory, for tests that are tagged `postgresql`. */
export function startTestPostgres(): TestPostgres {
  const programs = findPostgres()
  if (programs === null) throw new Error("There is no PostgreSQL here.")
  const user = unprivileged()
  const directory = mkdtempSync(join(tmpdir(), "casella-postgres-"))
  if (user !== null) chownSync(directory, user.uid, user.gid)
  const data = join(directory, "data")
  const run = (program: string, args: string[]) =>
    execFileSync(join(programs, program), args, { ...user, cwd: directory, stdio: "ignore", timeout: 60_000 })
  run("initdb", ["-D", data, "-U", "test", "--auth=trust", "--encoding=UTF8", "--no-sync"])
  const settings = `-c listen_addresses= -c unix_socket_directories=${directory} -c fsync=off`
  run("pg_ctl", ["-D", data, "-w", "-l", join(directory, "log"), "-o", settings, "start"])
  const urlOf = (database: string) =>
    `postgres://test@localhost/${database}?host=${encodeURIComponent(directory)}`
  let count = 0
  return {
    async createDatabase() {
      const name = `test_${++count}`
      const client = new Client({ connectionString: urlOf("postgres") })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return urlOf(name)
    },
    async [Symbol.asyncDispose]() {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

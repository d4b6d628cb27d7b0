import { dirname } from "node:path"
import { AppError } from "../../shared/contract/errors.ts"
import { isStart, readArguments, serverOptions } from "./arguments.ts"
import { DatabaseUnusable } from "../core/database/database.ts"
import { toDatabaseUnusable } from "../core/database/sqlite/open-sqlite.ts"
import { isDiskFull } from "../core/disk/disk-space.ts"
import { AlreadyRunning } from "../start/open-data.ts"
import { Failed, Interrupted } from "./command.ts"
import { plainText } from "./terminal.ts"

/** Exit code for a wrong command line or an unusable data directory. */
const refused = 2

/** Descriptions of system errors for a path. */
const obstacles: Readonly<Record<string, string>> = {
  EACCES: "can't be read and written: its permissions forbid it",
  EPERM: "can't be read and written: its permissions forbid it",
  EROFS: "can't be written: its disk is read-only",
  ENOENT: "doesn't exist",
  ENOTDIR: "is in something that isn't a directory",
  EISDIR: "is a directory",
  EEXIST: "exists already and is of another kind",
  ENOTEMPTY: "isn't empty",
  ENAMETOOLONG: "has a name that is too long",
  EBUSY: "is used by another program",
  EIO: "can't be read or written: its disk is failing",
}

/** Runs the command that the arguments name. An error in them, or in the data directory, ends the process. */
export async function runCommandLine(argv: string[]): Promise<void> {
  await follow(argv).catch(async (error: unknown) => {
    if (error instanceof Interrupted) process.exit(error.status)
    const [reason, status] = error instanceof Failed ? [error.cause, error.status] : [error, refused]
    process.stderr.write(`${plainText(await explain(reason))}\n`)
    process.exit(status)
  })
}

async function follow(argv: string[]): Promise<void> {
  const read = readArguments(argv)
  const { values: flags, positionals } = read
  if (!isStart(read)) {
    const { runCommand } = await import("./run-command.ts") // starting the server doesn't need it
    await runCommand(flags, positionals)
    return
  }
  const unknown = Object.keys(flags).find((name) => !Object.hasOwn(serverOptions, name))
  if (unknown !== undefined) throw await (await import("./run-command.ts")).unknownFlag(unknown)
  const { runBox } = await import("./run-box.ts")
  await runBox(flags)
}

/** Describes any error caused by a user, the system or SQLite in one sentence. Internal errors keep their stack. */
async function explain(error: unknown): Promise<string> {
  if (error instanceof SuppressedError) return explain(error.suppressed) // the first error; the other occurred while resources were closed
  if (error instanceof AppError || error instanceof AlreadyRunning || error instanceof DatabaseUnusable) {
    return error.message
  }
  const { code = "", stack, syscall, path } = error as NodeJS.ErrnoException
  if (code === "EADDRINUSE")
    return "The port is taken. Choose another with --port N, or --port 0 for a free one."
  if (code.startsWith("ERR_PARSE_ARGS")) return explainArguments(error)
  if (isDiskFull(error)) {
    const disk = path === undefined ? "The disk" : `The disk of ${dirname(path)}`
    return `${disk} is full, or has no room for more files. Free some space there, then try again.`
  }
  if (code.startsWith("SQLITE_")) return toDatabaseUnusable(error).message
  const obstacle = obstacles[code] ?? "can't be used as it is"
  if (path !== undefined) return `${path} ${obstacle}. Fix this or choose another location, then try again.`
  if (syscall !== undefined)
    return "The operating system refused the request. Try again later, or restart this computer."
  return stack ?? String(error)
}

async function explainArguments(error: unknown): Promise<string> {
  const { describeParseError } = await import("../../serve/command-help.ts")
  const { describeProgram } = await import("./registry.ts")
  return describeParseError(await describeProgram(), error, process.argv.slice(2)) ?? String(error)
}

import { dirname } from "node:path"
import { AppError } from "../../shared/contract/errors.ts"
import { readArguments } from "./arguments.ts"
import { DatabaseUnusable } from "../core/database/database.ts"
import { toDatabaseUnusable } from "../core/database/sqlite/open-sqlite.ts"
import { isDiskFull } from "../core/disk/disk-space.ts"
import { AlreadyRunning } from "../start/open-data.ts"
import { Interrupted, type Command, UsageError } from "./command.ts"
import { plainText } from "./terminal.ts"

/** Exit code for a wrong command line or an unusable data directory. */
const refused = 2
/** Exit code if the running box refuses or fails. */
const failed = 1

/** Descriptions of system errors for a path. */
const obstacles: Readonly<Record<string, string>> = {
  EACCES: "may not be read and written",
  EPERM: "may not be read and written",
  EROFS: "can't be written: its disk is read-only",
  ENOENT: "isn't there",
  ENOTDIR: "isn't in a directory",
  EISDIR: "is a directory",
  EEXIST: "is there already, and something else than it should be",
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

/** A command failed with its own exit status. */
class Failed extends Error {
  readonly status: number

  constructor(cause: unknown, status: number) {
    super("", { cause })
    this.status = status
  }
}

async function follow(argv: string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(argv)
  if (positionals.length === 0 && flags.help !== true) {
    const { runBox } = await import("./run-box.ts")
    await runBox(flags)
    return
  }
  const { findCommand, usage, getUsage } = await import("./registry.ts") // running the box needs none of them
  const command = await findCommand(positionals)
  if (flags.help === true) {
    process.stdout.write(`${command ? getUsage(command) : await usage()}\n`)
    return
  }
  if (!command) throw new UsageError(`There is no command "${positionals.join(" ")}".\n\n${await usage()}`)
  const rest = positionals.slice(command.words.length)
  try {
    requireArguments(command, rest, Object.keys(flags), getUsage)
    for (const line of await command.run(flags, rest)) process.stdout.write(`${line}\n`)
  } catch (error) {
    if (error instanceof Interrupted) throw error
    if (command.failureStatus !== undefined) throw new Failed(error, command.failureStatus)
    throw command.callsBox === true && !(error instanceof UsageError) ? new Failed(error, failed) : error
  }
}

function requireArguments(
  command: Command,
  args: readonly string[],
  flags: readonly string[],
  getUsage: (command: Command) => string,
): void {
  const { takes } = command
  const least = takes.filter((name) => !name.startsWith("[")).length
  const most = takes.at(-1)?.endsWith("…]") === true ? Infinity : takes.length
  if (args.length < least || args.length > most) throw new UsageError(getUsage(command))
  const known = new Set<string>([...command.flags.map(({ name }) => name), "data", "database-url"])
  const unknown = flags.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new UsageError(`"${command.words.join(" ")}" has no option --${unknown}.\n\n${getUsage(command)}`)
}

/** Describes any error caused by a user, the system or SQLite in one sentence. Internal errors keep their stack. */
async function explain(error: unknown): Promise<string> {
  if (error instanceof SuppressedError) return explain(error.suppressed) // the first error; the other occurred while resources were closed
  if (error instanceof AppError || error instanceof AlreadyRunning || error instanceof DatabaseUnusable) {
    return error.message
  }
  const { code = "", message, stack, syscall, path } = error as NodeJS.ErrnoException
  if (code === "EADDRINUSE")
    return "The port is taken. Choose another with --port N, or --port 0 for a free one."
  if (code.startsWith("ERR_PARSE_ARGS")) {
    const { usage } = await import("./registry.ts")
    return `${message}\n\n${await usage()}`
  }
  if (isDiskFull(error)) {
    const disk = path === undefined ? "The disk" : `The disk of ${dirname(path)}`
    return `${disk} is full, or takes no further files. Free some space there, then try again.`
  }
  if (code.startsWith("SQLITE_")) return toDatabaseUnusable(error).message
  const obstacle = obstacles[code] ?? "can't be used as it is"
  if (path !== undefined) return `${path} ${obstacle}. Mend that, or choose another place, then try again.`
  if (syscall !== undefined) return "The system refused it. Try again in a while, or restart this computer."
  return stack ?? String(error)
}

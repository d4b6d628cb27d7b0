import { parseArgs } from "node:util"
import {
  describeParseError,
  describeUnknownCommand,
  describeUnknownFlag,
  getHelp,
  usageLine,
  versionLine,
} from "../serve/command-help.ts"
import { ServiceError } from "../shared/contract/service-errors.ts"
import { UsageError } from "./auth-config.ts"
import { commands, describeProgram, runService } from "./commands/commands.ts"
import { DatabaseUnusable } from "./core/open-database.ts"

process.umask(0o077) // no other user may read accounts and tickets

/** Exit code for a wrong command line or an unusable database. */
const refused = 2

const passwordIsSeen =
  "Other users of this computer can read the password in --database-url while the command runs. Set CASELLA_AUTH_DATABASE_URL instead."

async function main(argv: string[]): Promise<void> {
  const { values: flags, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      data: { type: "string" },
      "database-url": { type: "string" },
      "public-url": { type: "string" },
      password: { type: "string" },
      name: { type: "string" },
      company: { type: "string" },
      staff: { type: "boolean" },
      "per-day": { type: "string" },
      "per-minute": { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "v" },
    },
  })
  const program = describeProgram()
  if (flags.version === true) {
    process.stdout.write(`${versionLine}\n`)
    return
  }
  const command = commands.find(({ words }) => words.every((word, index) => positionals[index] === word))
  const isHelp = flags.help === true || positionals[0] === "help"
  if (isHelp || (positionals.length > 0 && !command)) {
    const words = positionals[0] === "help" ? positionals.slice(1) : positionals
    const text = getHelp(program, words)
    if (text === undefined) throw new UsageError(describeUnknownCommand(program, words))
    process.stdout.write(`${text}\n`)
    return
  }
  const known = command ? [...command.flags, ...program.everyFlags] : program.serverFlags
  const unknown = Object.keys(flags).find((flag) => !known.some(({ name }) => name === flag))
  if (unknown !== undefined) throw new UsageError(describeUnknownFlag(program, unknown, command))
  if ((URL.parse(flags["database-url"] ?? "")?.password ?? "") !== "")
    process.stderr.write(`${passwordIsSeen}\n`)
  if (!command) {
    await runService(flags)
    return
  }
  const rest = positionals.slice(command.words.length)
  if (rest.length !== command.takes.length) throw new UsageError(usageLine(program, command))
  for (const line of await command.run(flags, rest)) process.stdout.write(`${line}\n`)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(refused)
})

function explain(error: unknown): string {
  if (error instanceof ServiceError || error instanceof UsageError || error instanceof DatabaseUnusable) {
    return error.message
  }
  const { code, message, stack } = error as Error & { code?: string }
  if (code === "EADDRINUSE") {
    return "The port is taken. Choose another with --port N, or --port 0 for a free one."
  }
  const parseError = describeParseError(describeProgram(), error, process.argv.slice(2))
  if (parseError !== undefined) return parseError
  if (code === "EACCES" || code === "EROFS") return `The data directory can't be written: ${message}`
  if (code === "EEXIST" || code === "ENOTDIR") return `The data directory isn't a directory: ${message}`
  if (code === "ECONNREFUSED" || code === "ENOTFOUND") return `The database can't be reached: ${message}`
  return stack ?? String(error)
}

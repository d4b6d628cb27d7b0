import { parseArgs } from "node:util"
import { ServiceError } from "../shared/contract/service-errors.ts"
import { UsageError } from "./auth-config.ts"
import { commands, usage, runService } from "./commands/commands.ts"
import { DatabaseUnusable } from "./core/open-database.ts"

process.umask(0o077) // no other user may read accounts and tickets

/** Exit code for a wrong command line or an unusable database. */
const refused = 2

const passwordIsSeen =
  "Other users of this computer can read the password in --database-url while it runs. Give the address as CASELLA_AUTH_DATABASE_URL instead."

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
      help: { type: "boolean" },
    },
  })
  if (flags.help === true) {
    process.stdout.write(`${usage()}\n`)
    return
  }
  if ((URL.parse(flags["database-url"] ?? "")?.password ?? "") !== "")
    process.stderr.write(`${passwordIsSeen}\n`)
  if (positionals.length === 0) {
    await runService(flags)
    return
  }
  const command = commands.find(({ words }) => words.every((word, index) => positionals[index] === word))
  if (!command) throw new UsageError(`There is no command "${positionals.join(" ")}".\n\n${usage()}`)
  const rest = positionals.slice(command.words.length)
  if (rest.length !== command.takes.length) {
    throw new UsageError(`Usage: ${[...command.words, ...command.takes].join(" ")}`)
  }
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
  if (code?.startsWith("ERR_PARSE_ARGS") === true) return `${message}\n\n${usage()}`
  if (code === "EACCES" || code === "EROFS") return `The data directory can't be written: ${message}`
  if (code === "EEXIST" || code === "ENOTDIR") return `The data directory isn't a directory: ${message}`
  if (code === "ECONNREFUSED" || code === "ENOTFOUND") return `The database can't be reached: ${message}`
  return stack ?? String(error)
}

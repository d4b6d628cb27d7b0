import { parseArgs } from "node:util"
import { AppError } from "../shared/contract/errors.ts"
import { commands, usage } from "./commands/registry.ts"
import { DatabaseUnusable } from "./core/database.ts"
import { runBox } from "./commands/run-box.ts"
import { AlreadyRunning } from "./start-box.ts"

/** Exit code when the command line is wrong or the data directory can't be used. */
const refused = 2

async function main(argv: string[]): Promise<void> {
  const { values: flags, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      data: { type: "string" },
      model: { type: "string" },
      "embedding-model": { type: "string" },
      "auth-url": { type: "string" },
      "local-only": { type: "boolean" },
      "allow-host": { type: "string", multiple: true },
      "allow-origin": { type: "string", multiple: true },
      name: { type: "string" },
      user: { type: "string" },
      scope: { type: "string", multiple: true },
      description: { type: "string" },
      type: { type: "string" },
      category: { type: "string" },
      link: { type: "string" },
      chat: { type: "string" },
      "dedupe-key": { type: "string" },
      key: { type: "string" },
      help: { type: "boolean" },
    },
  })
  if (flags.help === true) {
    process.stdout.write(`${usage()}\n`)
    return
  }
  if (positionals.length === 0) {
    await runBox(flags)
    return
  }
  const command = commands.find((candidate) =>
    candidate.words.every((word, index) => positionals[index] === word),
  )
  if (!command)
    throw new AppError("validation", `There is no command "${positionals.join(" ")}".\n\n${usage()}`)
  const rest = positionals.slice(command.words.length)
  if (rest.length !== command.takes.length) {
    throw new AppError("validation", `Usage: ${command.words.join(" ")} ${command.takes.join(" ")}`)
  }
  for (const line of await command.run(flags, rest)) process.stdout.write(`${line}\n`)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(refused)
})

function explain(error: unknown): string {
  if (error instanceof AppError || error instanceof AlreadyRunning || error instanceof DatabaseUnusable) {
    return error.message
  }
  const { code, message, stack } = error as Error & { code?: string }
  if (code === "EADDRINUSE")
    return "The port is taken. Choose another with --port N, or --port 0 for a free one."
  if (code?.startsWith("ERR_PARSE_ARGS") === true) return `${message}\n\n${usage()}`
  if (code === "EACCES" || code === "EROFS") return `The data directory can't be written: ${message}`
  if (code === "EEXIST" || code === "ENOTDIR") return `The data directory isn't a directory: ${message}`
  return stack ?? String(error)
}

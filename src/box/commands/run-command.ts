import {
  describeUnknownCommand,
  describeUnknownFlag,
  getHelp,
  usageLine,
  versionLine,
} from "../../serve/command-help.ts"
import { type Command, type CommandFlags, Failed, Interrupted, UsageError } from "./command.ts"
import { describeProgram, findCommand } from "./registry.ts"

/** Exit code if the running server refuses or fails. */
const failed = 1

/** Runs the command that these words name, or prints help or the version. Throws `UsageError` if they are wrong. */
export async function runCommand(
  flags: CommandFlags & { help?: boolean | undefined; version?: boolean | undefined },
  words: readonly string[],
): Promise<void> {
  if (flags.version === true) return print(versionLine)
  if (flags.help === true || words[0] === "help")
    return printHelp(words[0] === "help" ? words.slice(1) : words)
  const command = await findCommand(words)
  if (!command) return printHelp(words)
  const args = words.slice(command.words.length)
  try {
    await requireArguments(command, args, Object.keys(flags))
    for (const line of await command.run(flags, args)) print(line)
  } catch (error) {
    if (error instanceof Interrupted) throw error
    if (command.failureStatus !== undefined) throw new Failed(error, command.failureStatus)
    throw command.callsBox === true && !(error instanceof UsageError) ? new Failed(error, failed) : error
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints the help for these words: the program, a group of commands or a command. */
async function printHelp(words: readonly string[]): Promise<void> {
  const program = await describeProgram()
  const text = getHelp(program, words)
  if (text === undefined) throw new UsageError(describeUnknownCommand(program, words))
  print(text)
}

/** The error for an option that a command, or the server if none is given, doesn't have. */
export const unknownFlag = async (name: string, command?: Command): Promise<UsageError> =>
  new UsageError(describeUnknownFlag(await describeProgram(), name, command))

async function requireArguments(
  command: Command,
  args: readonly string[],
  flags: readonly string[],
): Promise<void> {
  const { takes, words } = command
  const required = takes.filter((name) => !name.startsWith("["))
  const max = takes.at(-1)?.includes("…") === true ? Infinity : takes.length
  if (args.length < required.length || args.length > max) {
    const missing = required[args.length]
    const problem = missing === undefined ? "has too many arguments" : `needs ${missing.replace("…", "")}`
    const usage = usageLine(await describeProgram(), command)
    throw new UsageError(`"${words.join(" ")}" ${problem}. ${usage}`)
  }
  const known = new Set<string>([...command.flags.map(({ name }) => name), "data", "database-url"])
  const unknown = flags.find((name) => !known.has(name))
  if (unknown !== undefined) throw await unknownFlag(unknown, command)
}

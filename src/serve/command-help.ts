import packageJson from "../../package.json" with { type: "json" }

/** An option as help shows it. */
export interface HelpFlag {
  name: string
  /** Its value; none for a switch. */
  takes?: string
  about: string
  short?: string
  /** The command doesn't work without it. */
  required?: true
}

/** A command as help shows it. */
export interface HelpCommand {
  words: readonly string[]
  /** Names of its arguments; those in brackets are optional. */
  takes: readonly string[]
  summary: string
  flags: readonly HelpFlag[]
}

/** A program's command line. */
export interface Program {
  /** Words that users type to start it. */
  name: string
  /** Its effect without a command: "start the server". */
  starts: string
  sections: readonly { title: string; commands: readonly HelpCommand[] }[]
  /** Options for starting it, the most important ones first. */
  serverFlags: readonly HelpFlag[]
  /** Number of `serverFlags` that the first page of help shows. */
  mainFlags: number
  /** Options of every command. */
  everyFlags: readonly HelpFlag[]
  /** Environment variables, in one line. */
  environment: string
}

/** Returns what users type to start a program: its npm script, or the program itself. */
export const programName = (script: string): string =>
  process.env["npm_lifecycle_event"] === script ? `npm run --silent ${script} --` : script

export const versionLine = `Casella ${packageJson.version}`

const ownFlags: readonly HelpFlag[] = [
  { name: "help", short: "h", about: "Show help" },
  { name: "version", short: "v", about: "Show the version" },
]

/**
 * Returns help for these words: the program, all options of its server (`server`), a group of commands, or a command. Returns undefined if
 * there is no such command.
 */
export function getHelp(program: Program, words: readonly string[]): string | undefined {
  if (words.length === 0) return programHelp(program)
  const command = findCommand(program, words)
  if (command) return commandHelp(program, command)
  if (words.length === 1 && words[0] === "server") return serverHelp(program)
  const group = allCommands(program).filter(({ words: all }) => all.length > 1 && all[0] === words[0])
  return words.length === 1 && group.length > 0 ? groupHelp(program, words[0] ?? "", group) : undefined
}

function programHelp(program: Program): string {
  const { name, starts, sections, serverFlags, mainFlags, environment } = program
  const widest = Math.max(...allCommands(program).map((command) => callOf(command).length), name.length)
  return [
    `${versionLine} – private AI workspace for your documents`,
    "",
    `Usage: ${name} [options]            ${starts}`,
    `       ${name} COMMAND [options]    run a command`,
    ...sections.flatMap(({ title, commands }) => [
      "",
      title,
      ...rows(
        commands.map((command) => [callOf(command), command.summary]),
        widest,
      ),
    ]),
    "",
    "Server options",
    ...rows([...serverFlags.slice(0, mainFlags), ...ownFlags].map(flagRow)),
    "",
    ...(mainFlags < serverFlags.length ? [`"${name} help server" lists all server options.`] : []),
    `"${name} help COMMAND" describes a command and its options.`,
    environment,
  ].join("\n")
}

const serverHelp = ({ name, starts, serverFlags }: Program): string =>
  [
    `Usage: ${name} [options]`,
    "",
    sentence(starts),
    "",
    "Options",
    ...rows([...serverFlags, ...ownFlags].map(flagRow)),
  ].join("\n")

const groupHelp = ({ name }: Program, group: string, commands: readonly HelpCommand[]): string =>
  [
    `Usage: ${name} ${group} COMMAND [options]`,
    "",
    "Commands",
    ...rows(commands.map((command) => [callOf(command), command.summary])),
    "",
    `"${name} help ${group} COMMAND" describes a command and its options.`,
  ].join("\n")

const commandHelp = ({ name, everyFlags }: Program, command: HelpCommand): string =>
  [
    `Usage: ${name} ${callOf(command)} [options]`,
    "",
    sentence(command.summary),
    "",
    "Options",
    ...rows([...command.flags, ...everyFlags, ...ownFlags.slice(0, 1)].map(flagRow)),
  ].join("\n")

/** Returns a command's usage in one line, for errors. */
export const usageLine = ({ name }: Program, command: HelpCommand): string =>
  `Usage: ${name} ${callOf(command)} [options]`

/** A command with its arguments and required options. */
const callOf = ({ words, takes, flags }: HelpCommand): string =>
  [...words, ...takes, ...flags.filter(({ required }) => required).map((flag) => flagRow(flag)[0])].join(" ")

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

const flagRow = ({ name, takes, about, short }: HelpFlag): [string, string] => [
  `${short === undefined ? "" : `-${short}, `}--${name}${takes === undefined ? "" : ` ${takes}`}`,
  about,
]

/** Width of the first column beyond which its text has a line of its own. */
const maxColumn = 34

function rows(cells: readonly (readonly [string, string])[], widest?: number): string[] {
  const longest = widest ?? Math.max(...cells.map(([first]) => first.length))
  const width = Math.min(longest, maxColumn)
  return cells.flatMap(([first, second]) =>
    first.length > width
      ? [`  ${first}`, `  ${"".padEnd(width)}  ${second}`]
      : [`  ${first.padEnd(width)}  ${second}`],
  )
}

const allCommands = ({ sections }: Program): HelpCommand[] => sections.flatMap(({ commands }) => commands)

const findCommand = (program: Program, words: readonly string[]): HelpCommand | undefined =>
  allCommands(program).find((command) => command.words.every((word, index) => words[index] === word))

/** Returns one line for a command that doesn't exist, with the most similar commands. */
export function describeUnknownCommand(program: Program, words: readonly string[]): string {
  const [first = ""] = words
  const commands = allCommands(program).map((command) => command.words)
  const isGroup = commands.some(([word]) => word === first)
  const depth = isGroup ? 2 : 1
  const known = [...new Set(commands.map((all) => all.slice(0, depth).join(" ")))]
  const given = words.slice(0, depth).join(" ")
  const help = isGroup ? `${program.name} help ${first}` : `${program.name} help`
  return `There is no command "${given}".${suggestion(given, known, (name) => `"${name}"`)} "${help}" lists the commands.`
}

/** Returns one line for an option that a command, or the server if none is given, doesn't have. */
export function describeUnknownFlag(program: Program, name: string, command?: HelpCommand): string {
  const known = [...(command ? [...command.flags, ...program.everyFlags] : program.serverFlags), ...ownFlags]
  const owner = command ? `"${command.words.join(" ")}"` : "The server"
  const help = `${program.name} help ${command?.words.join(" ") ?? "server"}`
  const similar = suggestion(
    name,
    known.map((flag) => flag.name),
    (flag) => `--${flag}`,
  )
  return `${owner} has no option ${name.length > 1 ? "--" : "-"}${name}.${similar} "${help}" lists the options.`
}

/** Returns one line for an error of `parseArgs` with these arguments, or undefined for another error. */
export function describeParseError(
  program: Program,
  error: unknown,
  args: readonly string[],
): string | undefined {
  const { code = "", message } = error as NodeJS.ErrnoException
  if (!code.startsWith("ERR_PARSE_ARGS")) return undefined
  const end = args.findIndex((word) => word.startsWith("-"))
  const words = end === -1 ? args : args.slice(0, end)
  const flag = /'-{1,2}([^' ]+)/.exec(message)?.[1] ?? ""
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION")
    return describeUnknownFlag(program, flag, findCommand(program, words))
  return message.includes("does not take") ? `--${flag} takes no value.` : `--${flag} needs a value.`
}

function suggestion(given: string, known: readonly string[], show: (name: string) => string): string {
  const max = given.length < 4 ? 1 : Math.max(2, Math.floor(given.length / 3))
  const near = known
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .filter(({ distance }) => distance <= max)
    .toSorted((one, other) => one.distance - other.distance)
  const [best] = near
  return best ? ` Did you mean ${show(best.name)}?` : ""
}

/** Number of characters to insert, delete or replace to turn one text into the other. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

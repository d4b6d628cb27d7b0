import type { Client } from "../../shared/client/http-client.ts"
import { type Command, UsageError, type CommandFlags, type Flag, type NamedKind } from "./command.ts"
import { answeringModels, listAssistants, listFolders, type Named } from "./names.ts"
import { withRunningBox } from "./running-box.ts"
import { isPlain } from "./terminal.ts"

/** Quotes text for every shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Each completion calls this program, which knows its commands and the running box's names. */
const scripts: Readonly<Record<string, (program: string) => string>> = {
  bash: (program) => `box() { ${program} "$@"; }
_box() {
  local current=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    case $current in
      [\\"\\']*) COMPREPLY+=("$line") ;;
      *) COMPREPLY+=("$(printf %q "$line")") ;;
    esac
  done < <(box complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
COMP_WORDBREAKS=\${COMP_WORDBREAKS//:/}
complete -o default -F _box box`,

  zsh: (program) => `box() { ${program} "$@"; }
_box() {
  local -a found
  found=("\${(@f)$(box complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  found=(\${found:#})
  if (( $#found )); then compadd -U -- $found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _box box`,

  fish: (program) => `function box
  ${program} $argv
end
complete -c box -f -a '(box complete -- (commandline -xpc)[2..-1] (commandline -ct) 2>/dev/null </dev/null)'
complete -c box -n '__fish_seen_subcommand_from add backup restore salvage' -F`,
}

/** Prints a script for a shell: a command `box` and its completions. */
export const completionCommand: Command = {
  words: ["completion"],
  takes: ["bash|zsh|fish"],
  summary: "Print a script that defines and completes the command box in your shell",
  flags: [],
  run(_flags, [shell = ""]) {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (!script) throw new UsageError(`Completion scripts exist for ${Object.keys(scripts).join(", ")}.`)
    const program = [process.execPath, process.argv[1] ?? ""].map(quoted).join(" ")
    return Promise.resolve([script(program)])
  },
}

/** The available commands. */
interface Commands {
  allCommands(): Promise<readonly Command[]>
  findCommand(words: readonly string[]): Promise<Command | undefined>
}

/** Completions for the last of these words. The scripts of `completion` call this command. */
export const completeCommand = (commands: Commands): Command => ({
  words: ["complete"],
  takes: ["[WORD…]"],
  summary: "Print completions for the last word",
  flags: [],
  hidden: true,
  async run(flags, words) {
    const before = words.slice(0, -1).map(unquoted)
    const current = unquoted(words.at(-1) ?? "")
    const lower = current.toLowerCase()
    const all = await candidates(commands, before, { current, flags })
    return [...new Set(all)].filter((each) => each.toLowerCase().startsWith(lower))
  },
})

/** Removes the quoting that the shell keeps in a word that is still being typed. */
const unquoted = (word: string): string => word.replace(/^["']/, "").replaceAll(/\\(.)/g, "$1")

const globalFlags: readonly Flag[] = [{ name: "data", takes: "DIR", about: "" }]

async function candidates(
  { allCommands, findCommand }: Commands,
  before: string[],
  { current, flags }: { current: string; flags: CommandFlags },
): Promise<string[]> {
  const { words, values } = split(before)
  const command = await findCommand(words)
  const known = [...(command?.flags ?? []), ...globalFlags]
  const last = known.find(({ name, takes }) => takes !== undefined && before.at(-1) === `--${name}`)
  const where = { ...flags, ...values }
  if (last) return last.names ? getNames(last.names, where) : choices(last)
  if (!command) {
    const shown = (await allCommands()).filter(({ hidden }) => hidden !== true)
    const next = shown.filter((each) => words.every((word, index) => each.words[index] === word))
    return current.startsWith("-") ? ["--help"] : next.flatMap((each) => each.words[words.length] ?? [])
  }
  if (current.startsWith("-")) return [...known.map(({ name }) => `--${name}`), "--help"]
  if (words.length - command.words.length >= command.takes.length) return []
  if (command.names) return getNames(command.names, where)
  return (command.takes[words.length - command.words.length] ?? "")
    .split("|")
    .filter((word) => /^[a-z]+$/.test(word))
}

/** Separates the words that aren't options from the options that select the box to query. */
function split(before: readonly string[]): { words: string[]; values: CommandFlags } {
  const words: string[] = []
  const values: CommandFlags = {}
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ""
    if (!word.startsWith("-")) words.push(word)
    else if (!/^--(json|key-from-stdin|help)$|=/.test(word)) {
      const value = before[++index]
      if (word === "--data") values.data = value
      if (word === "--user") values.user = value
    }
  }
  return { words, values }
}

const choices = ({ takes = "" }: Flag): string[] =>
  /^[a-z-]+(\|[a-z-]+)+$/.test(takes) ? takes.split("|") : []

const lists: Readonly<Record<NamedKind, (client: Client) => Promise<readonly Named[]>>> = {
  folder: listFolders,
  model: answeringModels,
  assistant: listAssistants,
}

/** Names of all items. A name that isn't unique, or that contains control characters, is replaced with the item's id. */
async function getNames(kind: NamedKind, flags: CommandFlags): Promise<string[]> {
  const all = await withRunningBox(flags, ({ client }) => lists[kind](client)).catch(() => [])
  const times = Map.groupBy(all, ({ name }) => name.toLowerCase())
  return all
    .map(({ id, name }) => (times.get(name.toLowerCase())?.length === 1 && isPlain(name) ? name : id))
    .filter(isPlain)
}

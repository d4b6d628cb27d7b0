import { type Command, UsageError } from "../command.ts"

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
  summary: "print a script for your shell that defines the command box, and completes it",
  flags: [],
  run(_flags, [shell = ""]) {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (!script) throw new UsageError(`There are scripts for ${Object.keys(scripts).join(", ")}.`)
    const program = [process.execPath, process.argv[1] ?? ""].map(quoted).join(" ")
    return Promise.resolve([script(program)])
  },
}

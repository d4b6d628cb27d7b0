import type { ReactNode } from "react"

/** Command groups, in the order shown before anything is typed. */
const groups = [
  "here",
  "recent",
  "chats",
  "actions",
  "screens",
  "settings",
  "assistants",
  "projects",
  "folders",
  "files",
  "messages",
  "passages",
] as const
export type Group = (typeof groups)[number]

/** A screen or action in the palette. */
export interface Command {
  /** A stable ID, so that recent commands are recognised. */
  id: string
  group: Group
  name: string
  /** Alternative names: "mute" for notifications. */
  words?: string
  /** Its location, or the matching text. */
  detail?: string
  /** Which of the two is a file name. */
  fileName?: "name" | "detail"
  icon: ReactNode
  /** Set for kinds with too many commands to list before anything is typed. */
  isSearchOnly?: true
  /** Its shortcut. */
  keys?: string[]
  run: () => void
}

export interface Section {
  group: Command["group"]
  commands: Command[]
}

/** Scores how well a name matches the search: at its start 3, at the start of a word 2, anywhere 1, not at all 0. */
export function fit(name: string, search: string): number {
  const [text, wanted] = [plain(name), plain(search)]
  let best = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (at === 0) return 3
    best = Math.max(best, /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 1 : 2)
  }
  return best
}

/** Scores a command by its name or alternative names. Alternative names match only at the start of a word, and score lower than a name. */
export const scoreMatch = ({ name, words = "" }: Command, search: string): number =>
  Math.max(fit(name, search), fit(words, search) >= 2 ? 1.5 : 0)

/** Removes case and accents, so that "citta" finds "Città". */
const plain = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()

/**
 * Returns the matching commands, best first in each group, with the groups ordered by their best match and the screen's own group first.
 * The box has already matched those in `found`.
 */
export function ranked(commands: Command[], search: string, found: Command[]): Section[] {
  const fitting = commands
    .map((command) => ({ command, rank: scoreMatch(command, search) }))
    .filter(({ rank }) => rank > 0)
  const all = [...fitting, ...found.map((command) => ({ command, rank: 0 }))]
  const best = new Map<Command["group"], number>()
  for (const { command, rank } of all)
    best.set(
      command.group,
      Math.max(best.get(command.group) ?? 0, command.group === "here" ? Infinity : rank),
    )
  const byGroup = Map.groupBy(
    all.toSorted((one, other) => other.rank - one.rank),
    ({ command }) => command.group,
  )
  return [...byGroup]
    .toSorted(([one], [other]) => (best.get(other) ?? 0) - (best.get(one) ?? 0))
    .map(([group, entries]) => ({ group, commands: entries.map(({ command }) => command) }))
}

/** Returns the commands shown before anything is typed: recently used ones, then all by group. */
export function unsearched(commands: Command[], recentIds: string[]): Section[] {
  const byId = new Map(commands.map((command) => [command.id, command]))
  const recent = recentIds.flatMap((id) => byId.get(id) ?? [])
  const others = commands.filter((command) => !recent.includes(command) && !command.isSearchOnly)
  const commandsInGroup = (group: Command["group"]) => others.filter((command) => command.group === group)
  const here = commandsInGroup("here")
  return [
    ...(here.length > 0 ? [{ group: "here" as const, commands: here }] : []),
    ...(recent.length > 0 ? [{ group: "recent" as const, commands: recent }] : []),
    ...groups
      .filter((group) => group !== "here")
      .map((group) => ({ group, commands: commandsInGroup(group) }))
      .filter(({ commands }) => commands.length > 0),
  ]
}

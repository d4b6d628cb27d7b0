import type { Command, Flag } from "./command.ts"

const accounts = async () => (await import("./accounts.ts")).accountCommands
const backups = async () => (await import("./backup.ts")).backupCommands

/** The commands by their first word. Each group loads only what it needs. */
const groups: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  keys: accounts,
  users: accounts,
  workspaces: accounts,
  signin: accounts,
  backup: backups,
  restore: backups,
  move: async () => [(await import("./move.ts")).moveCommand],
  salvage: async () => [(await import("./backup.ts")).salvageCommand],
  notify: async () => [(await import("./notify.ts")).notifyCommand],
  ask: async () => [(await import("./ask.ts")).askCommand],
  mcp: async () => [(await import("./mcp.ts")).mcpCommand],
  chat: async () => [(await import("./chat/chat.ts")).chatCommand],
  search: async () => [(await import("./search.ts")).searchCommand],
  models: async () => [
    (await import("./models.ts")).modelsList,
    (await import("./models.ts")).modelsUse,
    (await import("./models.ts")).modelsAdd,
  ],
  completion: async () => [(await import("./completion.ts")).completionCommand],
  complete: async () => [(await import("./completion.ts")).completeCommand({ allCommands, findCommand })],
}

/** Returns the command that these words start with. */
export async function findCommand(words: readonly string[]): Promise<Command | undefined> {
  const [first = ""] = words
  const group = Object.hasOwn(groups, first) ? await groups[first]?.() : undefined
  return group?.find((command) => command.words.every((word, index) => words[index] === word))
}

export async function allCommands(): Promise<Command[]> {
  const loaded = await Promise.all([...new Set(Object.values(groups))].map((group) => group()))
  return loaded.flat()
}

export async function usage(): Promise<string> {
  const commands = (await allCommands()).filter(({ hidden }) => hidden !== true)
  const rows = commands.map(({ words, takes, summary }) => [[...words, ...takes].join(" "), summary] as const)
  const width = Math.max(...rows.map(([call]) => call.length))
  return [
    "Usage: npm run --silent box -- [COMMAND] [--data DIR]",
    "",
    "Without a command it runs the box:",
    "  --port N (8484; 0 picks a free one)  --host H (127.0.0.1)  --model FILE.gguf | http(s)://…/v1",
    "  --embedding-model FILE.gguf | http(s)://…/v1  --auth-url URL  --allow-host NAME  --allow-origin ORIGIN",
    "  --database-url postgres://… (else the rows are in a file of the data directory)",
    "  --public-url https://… (where browsers reach it, if not at its own address)",
    "  --oidc-issuer https://…  --oidc-client-id ID  --oidc-groups NAMES | '*'  --oidc-owner-groups NAMES  --oidc-groups-claim NAME",
    "  --local-only: nothing is sent to other computers",
    "",
    "Commands:",
    ...rows.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`),
    "",
    "COMMAND --help tells a command's options. Keys of others: CASELLA_API_KEY. The data directory: CASELLA_DATA.",
  ].join("\n")
}

/** Describes a command's arguments and flags. */
export function getUsage({ words, takes, summary, flags }: Command): string {
  const rows = [...flags, ...everyFlags].map(
    ({ name, takes: value, about }) =>
      [value === undefined ? `--${name}` : `--${name} ${value}`, about] as const,
  )
  const width = Math.max(...rows.map(([call]) => call.length))
  return [
    `Usage: npm run --silent box -- ${[...words, ...takes].join(" ")}${flags.length === 0 ? "" : " [OPTIONS]"}`,
    "",
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
    "",
    ...rows.map(([call, about]) => `  ${call.padEnd(width)}  ${about}`),
  ].join("\n")
}

const everyFlags: readonly Flag[] = [
  { name: "data", takes: "DIR", about: "the box's data directory" },
  { name: "database-url", takes: "ADDRESS", about: "where the rows are if not in it: postgres://…" },
]

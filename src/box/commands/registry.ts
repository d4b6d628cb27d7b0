import { accountCommands } from "./accounts.ts"
import { backupCommands } from "./backup.ts"
import type { Command } from "./command.ts"
import { notifyCommand } from "./notify.ts"
import { salvageCommand } from "./salvage.ts"

export const commands: readonly Command[] = [
  ...accountCommands,
  ...backupCommands,
  salvageCommand,
  notifyCommand,
]

export function usage(): string {
  const rows = commands.map(({ words, takes, summary }) => [[...words, ...takes].join(" "), summary] as const)
  const width = Math.max(...rows.map(([call]) => call.length))
  return [
    "Usage: npm run --silent box -- [COMMAND] [--data DIR]",
    "",
    "Without a command it runs the box:",
    "  --port N (8484; 0 picks a free one)  --host H (127.0.0.1)  --model FILE.gguf | http(s)://…/v1",
    "  --embedding-model FILE.gguf | http(s)://…/v1  --auth-url URL  --allow-host NAME  --allow-origin ORIGIN",
    "  --local-only: nothing is sent to other computers",
    "",
    "Commands:",
    ...rows.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`),
  ].join("\n")
}

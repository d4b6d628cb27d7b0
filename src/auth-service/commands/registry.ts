import type { Command } from "./command.ts"
import { keyCommands } from "./keys.ts"
import { quotaCommands } from "./quota.ts"
import { userCommands } from "./users.ts"

export const commands: readonly Command[] = [...userCommands, ...keyCommands, ...quotaCommands]

export function usage(): string {
  const rows = commands.map(({ words, takes, summary }) => [[...words, ...takes].join(" "), summary] as const)
  const width = Math.max(...rows.map(([call]) => call.length))
  return [
    "Usage: npm run --silent auth -- [COMMAND] [--data DIR] [--database-url postgres://…]",
    "",
    "Without a command it runs the auth service:",
    "  --port N (8585; 0 picks a free one)  --host H (127.0.0.1)  --public-url URL",
    "",
    "Commands:",
    ...rows.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`),
  ].join("\n")
}

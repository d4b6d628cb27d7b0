import { expect, it } from "vitest"
import { CommandTarget } from "./integrations.ts"

// Catches a command that looks like another one when the user consents to it.
it.each(["\n", "\u0000", "\u007f", "\u0085", "\u00ad", "\u200b", "\u202e", "\u2066", "\u2028", "\u{e0041}"])(
  "refuses a command with %j",
  (character) => {
    const target = { kind: "command", command: "npx", args: ["-y", "files"] } as const
    expect(CommandTarget.safeParse(target).success).toBe(true)
    expect(CommandTarget.safeParse({ ...target, command: `npx${character}` }).success).toBe(false)
    expect(CommandTarget.safeParse({ ...target, args: [`a${character}b`] }).success).toBe(false)
  },
)

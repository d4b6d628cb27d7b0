import { lazy } from "../../core/lazy.ts"

/** What instructions may name in braces, as `docs/assistants.md` lists it. */
export interface Variables {
  /** Whoever asks. */
  user: string
  now: Date
}

const named = /\{\{\{\{(date|user)\}\}\}\}|\{\{(date|user)\}\}/g

/**
 * Instructions with today's date and the name of whoever asks in place of `{{date}}` and `{{user}}`, and these themselves
 * in place of `{{{{date}}}}` and `{{{{user}}}}`; other braces stay. There is no time of day: what a prompt begins with must
 * stay the same for a conversation to be read once only.
 */
export function fillIn(instructions: string, { user, now }: Variables): string {
  return instructions.replace(named, (_, doubled: string | undefined, name: string | undefined) => {
    if (doubled !== undefined) return `{{${doubled}}}`
    return name === "date" ? longDate().format(now) : user.replace(/\s+/g, " ")
  })
}

/** Of this computer's place. */
const longDate = lazy(
  () => new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
)

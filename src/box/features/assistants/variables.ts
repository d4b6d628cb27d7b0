import { lazy } from "../../core/lazy.ts"

/** Variables that instructions may contain in braces, as listed in `docs/assistants.md`. */
export interface Variables {
  /** Name of the user who asks. */
  user: string
  now: Date
}

const named = /\{\{\{\{(date|user)\}\}\}\}|\{\{(date|user)\}\}/g

/**
 * Replaces `{{date}}` and `{{user}}` in instructions by today's date and the user's name, and `{{{{date}}}}` and `{{{{user}}}}` by the
 * variables themselves; other braces are kept. There is no variable for the time of day: the start of a prompt must stay the same, so that
 * a chat is evaluated only once.
 */
export function fillIn(instructions: string, { user, now }: Variables): string {
  return instructions.replace(named, (_, doubled: string | undefined, name: string | undefined) => {
    if (doubled !== undefined) return `{{${doubled}}}`
    return name === "date" ? longDate().format(now) : user.replace(/\s+/g, " ")
  })
}

/** In this computer's time zone. */
const longDate = lazy(
  () => new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
)

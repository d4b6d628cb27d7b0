import { UsageError } from "../auth-config.ts"
import { withParts, type Command } from "./command.ts"

const largest = 1_000_000

function readCount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d{1,7}$/.test(text) && count <= largest) return count
  throw new UsageError(`${flag} takes a whole number from 0 to ${largest}, not "${text}".`)
}

export const quotaCommands: readonly Command[] = [
  {
    words: ["quota", "set"],
    takes: ["EMAIL"],
    summary: "change a user's limits (--per-day N tickets, --per-minute N requests of each key)",
    run: (flags, [email = ""]) => {
      const ticketsPerDay = readCount("--per-day", flags["per-day"])
      const requestsPerMinute = readCount("--per-minute", flags["per-minute"])
      if (ticketsPerDay === undefined && requestsPerMinute === undefined) {
        throw new UsageError("Say what to change: --per-day N, --per-minute N, or both.")
      }
      return withParts(flags, async ({ members }) => {
        const member = await members.change(email, {
          ...(ticketsPerDay === undefined ? {} : { ticketsPerDay }),
          ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
        })
        const perDay = member.ticketsPerDay ?? "the default number of"
        const perMinute = member.requestsPerMinute ?? "the default number of"
        return [
          `${member.email} may create ${perDay} tickets a day and send ${perMinute} requests a minute per key`,
        ]
      })
    },
  },
]

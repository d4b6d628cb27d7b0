import { UsageError } from "../auth-config.ts"
import { addUser } from "../features/accounts/add-user.ts"
import { row, withParts, type Command } from "./command.ts"

export const userCommands: readonly Command[] = [
  {
    words: ["users", "add"],
    takes: ["EMAIL"],
    summary: "add an account (--password P --name N [--company C] [--staff])",
    run: ({ password, name, company, staff, ...flags }, [email = ""]) => {
      if (password === undefined) throw new UsageError("--password P is missing.")
      if (name === undefined || name.trim() === "") throw new UsageError("--name N is missing.")
      return withParts(flags, async ({ library, members }) => {
        const draft = { email, password, name: name.trim(), staff: staff === true, company: company ?? null }
        const member = await addUser(library, members, draft)
        return [row(member.id, member.email, member.name)]
      })
    },
  },
  {
    words: ["users", "list"],
    takes: [],
    summary: "id, e-mail address, name, staff, blocked",
    run: (flags) =>
      withParts(flags, async ({ members }) =>
        (await members.all()).map(({ id, email, name, staff, blocked }) =>
          row(id, email, name, staff ? "staff" : null, blocked ? "blocked" : null),
        ),
      ),
  },
  {
    words: ["users", "block"],
    takes: ["EMAIL"],
    summary: "refuse an account and its keys from now on",
    run: (flags, [email = ""]) =>
      withParts(flags, async ({ members }) => {
        await members.change(email, { blocked: 1 })
        return [`Blocked ${email}`]
      }),
  },
  {
    words: ["users", "unblock"],
    takes: ["EMAIL"],
    summary: "let a blocked account in again",
    run: (flags, [email = ""]) =>
      withParts(flags, async ({ members }) => {
        await members.change(email, { blocked: 0 })
        return [`Unblocked ${email}`]
      }),
  },
]

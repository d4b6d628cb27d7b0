import { UsageError } from "../auth-config.ts"
import { addUser } from "../features/accounts/add-user.ts"
import { row, withParts, type Command } from "./command.ts"
import { readPassword } from "./read-password.ts"

export const userCommands: readonly Command[] = [
  {
    words: ["users", "add"],
    takes: ["EMAIL"],
    summary:
      "add an account (--name N [--company C] [--staff]); asks for the password, or reads it from standard input",
    run: async ({ password: given, name, company, staff, ...flags }, [email = ""]) => {
      if (name === undefined || name.trim() === "") throw new UsageError("--name N is missing.")
      const password = await readPassword(given)
      const draft = { email, password, name: name.trim(), staff: staff === true, company: company ?? null }
      return withParts(
        flags,
        async ({ library, members }) => {
          const member = await addUser(library, members, draft)
          return [row(member.id, member.email, member.name)]
        },
        { mayCreate: true }, // the first account is often added before the first start
      )
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

import { row, withParts, type Command } from "./command.ts"

export const keyCommands: readonly Command[] = [
  {
    words: ["keys", "list"],
    takes: [],
    summary: "id, name, owner, start of the key, state, expiry, last use",
    run: (flags) =>
      withParts(flags, async ({ keys }) =>
        (await keys.list()).map(({ id, name, email, hint, enabled, expiresAt, lastUsedAt }) =>
          row(id, name, email, `${hint}…`, enabled ? "active" : "revoked", expiresAt, lastUsedAt),
        ),
      ),
  },
  {
    words: ["keys", "revoke"],
    takes: ["ID"],
    summary: "end a cloud key at once",
    run: (flags, [id = ""]) =>
      withParts(flags, async ({ keys }) => {
        await keys.revoke(id)
        return [`Revoked ${id}`]
      }),
  },
]

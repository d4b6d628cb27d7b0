import { createClient } from "../../shared/client/http-client.ts"
import { validationError } from "../http/error-response.ts"
import { NotificationDraft } from "../../shared/contract/notifications.ts"
import { dataDirectory } from "../box-config.ts"
import { findRunningBox } from "../core/data-directory/run-file.ts"
import { createKeys, type Keys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { chosenUser } from "./accounts.ts"
import { withDatabase, type Command, type CommandFlags } from "./command.ts"
import { TerminalError } from "../core/terminal-error.ts"

/** How long the box may take to answer. */
const patienceMs = 10_000

const keyIsSeen =
  "Other users of this computer can read --key while it runs. Give the key as CASELLA_API_KEY instead."

/** Sends a notification through the running box, as any script would. */
export const notifyCommand: Command = {
  words: ["notify"],
  takes: ["TITLE"],
  summary:
    "send a notification ([--description TEXT] [--type info|success|error] [--category C] [--link /route] [--chat ID] [--dedupe-key KEY] [--user EMAIL], or as the owner of CASELLA_API_KEY)",
  async run(flags, [title = ""]) {
    const draft = readDraft(flags, title)
    const box = findRunningBox(dataDirectory(flags))
    if (!box)
      throw new TerminalError("unavailable", "The box isn't running, so nobody can be told. Start it first.")
    const send = async (key: string) => {
      const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
      const signal = AbortSignal.timeout(patienceMs)
      const { delivered, notification } = await client.notifications.send({ body: draft }, { signal })
      return [`${notification.id}\t${delivered ? "delivered" : "stored; no open app showed it"}`]
    }
    if (flags.key !== undefined) process.stderr.write(`${keyIsSeen}\n`)
    const key = flags.key ?? process.env["CASELLA_API_KEY"]
    if (key !== undefined && key !== "") return send(key)
    return withDatabase(flags, async ({ db }) => {
      const user = await chosenUser(createPeople(db), flags.user)
      return withTemporaryKey(
        createKeys(db, () => undefined),
        user.id,
        send,
      )
    })
  },
}

function readDraft(flags: CommandFlags, title: string): NotificationDraft {
  const draft = NotificationDraft.safeParse({
    title,
    description: flags.description,
    type: flags.type,
    category: flags.category,
    deepLink: flags.link,
    chatId: flags.chat,
    dedupeKey: flags["dedupe-key"],
  })
  if (draft.success) return draft.data
  throw validationError(draft.error)
}

/** Whoever can write the data directory may act as its users; the key only lives for this call. */
async function withTemporaryKey<T>(keys: Keys, userId: string, use: (key: string) => Promise<T>): Promise<T> {
  const { key, apiKey } = await keys.create(userId, { name: "notify command", scopes: ["notify"] })
  try {
    return await use(key)
  } finally {
    await keys.revoke(userId, apiKey.id)
  }
}

import { NotificationDraft } from "../../shared/contract/notifications.ts"
import { validationError } from "../http/error-response.ts"
import type { Command, CommandFlags } from "./command.ts"
import { withRunningBox } from "./running-box.ts"

/** How long the box may take to answer. */
const patienceMs = 10_000

/** Sends a notification through the running box, as any script would. */
export const notifyCommand: Command = {
  words: ["notify"],
  takes: ["TITLE"],
  summary:
    "send a notification ([--description TEXT] [--type info|success|error] [--category C] [--link /route] [--chat ID] [--dedupe-key KEY] [--user EMAIL], or as the owner of CASELLA_API_KEY)",
  async run(flags, [title = ""]) {
    const draft = readDraft(flags, title)
    return withRunningBox(
      flags,
      async ({ client, stopped }) => {
        const signal = AbortSignal.any([stopped, AbortSignal.timeout(patienceMs)])
        const { delivered, notification } = await client.notifications.send({ body: draft }, { signal })
        return [`${notification.id}\t${delivered ? "delivered" : "stored; no open app showed it"}`]
      },
      ["notify"],
    )
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

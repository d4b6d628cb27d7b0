import { NotificationDraft } from "../../shared/contract/notifications.ts"
import { validationError } from "../http/error-response.ts"
import type { Command, CommandFlags } from "./command.ts"
import { callerFlags, withRunningBox } from "./running-box.ts"

/** Timeout for the box's response. */
const patienceMs = 10_000

/** Sends a notification through the running box, as any script could. */
export const notifyCommand: Command = {
  words: ["notify"],
  takes: ["TITLE"],
  summary: "Send a notification",
  flags: [
    { name: "description", takes: "TEXT", about: "Text below the title" },
    { name: "type", takes: "info|success|error", about: "Appearance (default info)" },
    { name: "category", takes: "CATEGORY", about: "Category, which people can mute" },
    { name: "link", takes: "/ROUTE", about: "Page to open when it is clicked" },
    { name: "chat", takes: "ID", about: "Chat that it belongs to" },
    { name: "dedupe-key", takes: "KEY", about: "Replace an earlier notification with the same key" },
    ...callerFlags,
  ],
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

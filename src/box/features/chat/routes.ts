import type { Response } from "express"
import type { api } from "../../../shared/contract/api.ts"
import { openEventStream } from "../../http/answers/event-stream.ts"
import { sendFile } from "../../http/answers/send-file.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Caller } from "../../http/caller.ts"
import { createPartRedactor, redactOrigin } from "../../tools/withheld.ts"
import type { Run } from "./streams/run.ts"
import type { Chat } from "./service.ts"

/** `stopQueue` keeps a chat's queued questions before its answer is stopped. */
export function chatHandlers(
  chat: Chat,
  stopQueue: (userId: string, chatId: string) => Promise<void>,
): Handlers<typeof api.chat> {
  return {
    async send({ caller, body, response }) {
      await follow(chat, await chat.send(caller, body), { caller, response })
    },

    async prepare({ caller, body }) {
      await chat.prepare(caller, body)
      return { success: true }
    },

    estimateReading: ({ caller, body }) => chat.estimateReading(caller, body),

    async attach({ caller, params, request, response }) {
      const lastEventId = request.get("last-event-id")
      await follow(chat, chat.attach(caller.userId, params.chatId), { caller, lastEventId, response })
    },

    async stop({ caller, params }) {
      await stopQueue(caller.userId, params.chatId)
      const success = await chat.stop(caller.userId, params.chatId)
      return {
        success,
        message: success ? "The stream was stopped." : "No active stream was found for this chat.",
      }
    },

    status: ({ caller, params }) => chat.status(caller.userId, params.chatId),

    async activity({ caller }) {
      const { answering, approvals } = await chat.activity(caller.userId)
      return { answering, approvals: approvals.map((approval) => redactOrigin(approval, caller)) }
    },

    async approvals({ caller, params }) {
      const waiting = await chat.approvals.waiting(caller.userId, params.chatId)
      return { approvals: waiting.map((approval) => redactOrigin(approval, caller)) }
    },

    async approve({ caller, params, body }) {
      const { chatId, toolCallId } = params
      return { success: true, ...(await chat.approvals.decide(caller, chatId, toolCallId, body)) }
    },

    async file({ caller, params, request, response }) {
      await sendFile(request, response, await chat.openFile(caller, params.id, params.fileId))
    },
  }
}

/** Sends a run's events as fast as the client accepts them. The rest stays in the run's log. */
async function follow(
  chat: Pick<Chat, "hasReadFolders">,
  run: Run,
  { caller, lastEventId, response }: { caller: Caller; lastEventId?: string | undefined; response: Response },
): Promise<void> {
  const hasReadFolders = caller.scopes !== null && (await chat.hasReadFolders(run.ownerId, run.chatId))
  const stream = openEventStream(response)
  const shown = createPartRedactor(caller, hasReadFolders)
  // Filtering depends on earlier events, even if the client resumes in the middle of the stream.
  for (const event of run.events) shown(event)
  for await (const { id, event } of run.follow(lastEventId, stream.closed)) {
    const visible = shown(event)
    if (visible === null) continue
    await stream.send(visible, id)
  }
  stream.end()
}

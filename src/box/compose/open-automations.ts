import { createAutomations } from "../features/automations/service.ts"
import { createFileArrivals } from "../features/files/arrivals.ts"
import { recordStep } from "../features/filing/history.ts"
import { createFilingStore } from "../features/filing/store.ts"
import { isLinkedKey } from "../tools/registry.ts"
import type { Accounts } from "./accounts.ts"
import type { Chat } from "./chat.ts"
import type { Base } from "./compose-options.ts"
import type { Library } from "./library/library.ts"
import type { Models } from "./models.ts"

/** Parts that automations depend on. */
export type AutomationParts = Accounts & Models & Library & Chat

/** Opens automations; loaded if there are any, or when someone creates one. */
export async function openAutomations(base: Base, parts: AutomationParts) {
  const { bus, logger, stopping, push, port } = base
  const { db } = base.database
  const { people, keys, systemSenders, files, folders, chat, conversations, usableModels, assistants } = parts
  const findOwnFolders = async (userId: string, folderIds: readonly string[]) =>
    (await parts.access.named(folderIds)).flatMap(({ id, ownerId }) => (ownerId === userId ? [id] : []))
  const usable = (userId: string, id: string) => assistants.findForChat(userId, id).catch(() => null)
  const automations = createAutomations({
    db,
    bus,
    logger,
    stopping,
    now: Date.now,
    files: createFileArrivals(db),
    findFilingChat: createFilingStore(db).findLastChatId,
    noteMatched: (transaction, { fileId, runId, automation }) =>
      recordStep(transaction, {
        fileId,
        step: "matched",
        key: `matched:${runId}`,
        detail: { chatId: runId, automation },
      }),
    noteRead: (transaction, { fileId, runId }) =>
      recordStep(transaction, { fileId, step: "read", key: `read:${runId}`, detail: { chatId: runId } }),
    chats: {
      ask: (caller, request, fromQueue) => chat.send(caller, request, fromQueue),
      stop: (userId, chatId) => chat.stop(userId, chatId),
      status: (userId, chatId) => chat.status(userId, chatId),
      async deny(caller, chatId) {
        for (const { toolCallId } of await chat.approvals.waiting(caller.userId, chatId))
          await chat.approvals.decide(caller, chatId, toolCallId, { decision: "deny" })
      },
    },
    async file(ownerId, fileId) {
      const folderId = await files.getFolder(fileId)
      if (folderId === null) return null
      const file = await files.read(ownerId, folderId, fileId).catch(() => null)
      const isOwn = (await findOwnFolders(ownerId, [folderId])).length > 0
      return file && { id: file.id, name: file.name, isOwn }
    },
    standingQuestions: {
      async search(ownerId, query, vectorIds) {
        const { results } = await folders.search(ownerId, { query, vectorIds })
        return results.map(({ fileName, text }) => ({ fileName, text }))
      },
      notify: ({ id, ownerId, name }, before, now) =>
        systemSenders.standingAnswerChanged(ownerId, {
          id,
          name,
          before: before.map(({ text }) => text).join("\n…\n"),
          now: now.map(({ text }) => text).join("\n…\n"),
        }),
    },
    isRevoked: async (keyId) => (await keys.revoked([keyId])).length > 0,
    whileValid: base.live.track,
    disabledIds: people.disabledIds,
    boxAddress: () => `http://127.0.0.1:${port()}`,
    changed: (ownerId) => push([ownerId], { type: "automations" }),
    async answerText(ownerId, chatId) {
      const messages = await conversations.history(ownerId, chatId, undefined)
      const last = messages.at(-1)
      return last?.role === "assistant" ? last.content : ""
    },
    notify: (run, also) => systemSenders.runEnded(run, also),
    notifySwitchedOff: (userId, automation) => systemSenders.automationOff(userId, automation),
    findUnusableFolders: parts.findUnusableFolders,
    findOwnFolders,
    async assistant(userId, id) {
      const assistant = await usable(userId, id)
      if (assistant === null) return null
      const usesAccounts = Object.entries(assistant.builtInTools).some(
        ([key, isOn]) => isOn && isLinkedKey(key),
      )
      return { vectorIds: assistant.vectorIds, usesAccounts }
    },
    isModel: usableModels.has,
  })
  try {
    await automations.start()
  } catch (error) {
    await automations[Symbol.asyncDispose]()
    throw error
  }
  return automations
}

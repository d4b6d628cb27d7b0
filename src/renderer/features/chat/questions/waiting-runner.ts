import { t } from "i18next"
import { v7 as newId } from "uuid"
import { untilApprovalsAnswered } from "../../../data/approvals.ts"
import { readHistory } from "../../../data/conversations.ts"
import { useWaitingQuestions, waitingQuestions } from "../../../data/waiting-questions.ts"
import { mostWaiting, type WaitingQuestion } from "../../../data/waiting-store.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { chatSession } from "../session/chat-sessions.ts"
import { foldersToSearch } from "../session/folders-to-search.ts"
import { createQuestionRunner } from "./question-runner.ts"

const runner = createQuestionRunner({
  waiting: waitingQuestions,
  session: chatSession,
  history: readHistory,
  folders: foldersToSearch,
  approvals: untilApprovalsAnswered,
  describe: describeError,
  exclusively: async (chatId, work) => {
    // Pages over plain HTTP on a network have no locks; there a second window may ask twice.
    if (window.isSecureContext) await navigator.locks.request(`questions:${chatId}`, work)
    else await work()
  },
})

/** Asks as soon as it is this question's turn. False when too many wait already. */
export function askInTurn(chatId: string, question: Omit<WaitingQuestion, "id">): boolean {
  const { hold } = waitingQuestions.get(chatId)
  if (!waitingQuestions.add(chatId, { id: newId(), ...question })) {
    showToast(t("chat:queue.full", { count: mostWaiting }), "error")
    return false
  }
  // Who asks on after a stop wants to go on; a missing model is still missing.
  if (hold && hold.kind !== "model") waitingQuestions.hold(chatId, undefined)
  runner.run(chatId)
  return true
}

/** Has the questions answered from these folders, for which no model is needed. */
export function askFolders(chatId: string, folderIds: string[]): void {
  for (const { id } of waitingQuestions.get(chatId).questions)
    waitingQuestions.change(chatId, id, { folderIds })
  releaseQuestions(chatId)
}

/** Has the questions answered without their assistant, which can't. */
export function askWithoutAssistant(chatId: string): void {
  for (const { id } of waitingQuestions.get(chatId).questions)
    waitingQuestions.change(chatId, id, { assistantId: null })
  releaseQuestions(chatId)
}

/** Lets held questions go. */
export function releaseQuestions(chatId: string): void {
  waitingQuestions.hold(chatId, undefined)
  runner.run(chatId)
}

/** A chat's questions that are still to be asked, and what holds them. */
export function useQueue(chatId: string) {
  const { questions, hold } = useWaitingQuestions(chatId)
  return { questions: questions.filter(({ id }) => id !== runner.sending(chatId)), hold }
}

/** Asks what waited for a model, if there is one now, and what waited when the page was closed. */
export function runWaiting(chatIds: readonly string[], modelUsable: boolean): void {
  for (const chatId of chatIds) {
    if (modelUsable && waitingQuestions.get(chatId).hold?.kind === "model") releaseQuestions(chatId)
    else runner.run(chatId)
  }
}

import { useSyncExternalStore, useEffect, useMemo, useRef, useState } from "react"
import type { FactTable, Reading } from "../../../../shared/contract/chat.ts"
import type { FileFilter } from "../../../../shared/contract/file-filter.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { addToQueue } from "../../../data/chats/queue.ts"
import { box } from "../../../lib/box.ts"
import { isNarrowed, splitFolders, takeConditions } from "../../../lib/file-filter.ts"
import { showError } from "../../../lib/toasts.ts"
import type { MessageActions } from "../MessageRow.tsx"
import type { NewFiles } from "../composer/attachments/attachment-store.ts"
import { attachments, filesToAttach } from "../composer/attachments/attachments.ts"
import { rememberFolders } from "../composer/choices/remembered-choices.ts"
import type { Choices } from "../composer/choices/use-choices.ts"
import { mentionedAssistant } from "../composer/mentions/mention-sources.tsx"
import type { Writing } from "../composer/use-writing.ts"
import { chatSession } from "../session/chat-sessions.ts"
import type { ShownMessage } from "../session/chat-view.ts"
import type { WholeQuestion } from "../templates/question-templates.ts"

interface NewQuestion {
  content: string
  /** Folders to search as well as the chat's own. */
  vector: string[]
  /** The assistant that should answer. */
  assistantId: string | null
  /** The model that should answer; null: the assistant's model, or the chosen one. */
  modelId: string | null
  /** The project of the chat, if the question starts a new one. */
  projectId?: string
  /** How much of the documents is read for it; omitted if it isn't about documents. */
  reading?: Reading
  /** The files that it is about, instead of all files in the folders. */
  fileIds?: string[]
  /** Narrows the files of the folders. */
  filter?: FileFilter
  /** The answer should be a table. */
  table?: FactTable
  /** The tools that may be used if no assistant answers. */
  builtInTools?: Record<string, boolean>
  /** The message that it follows; null: it starts the chat; omitted: the newest message at the time it is asked. */
  after?: string | null
  /** The messages shown before it while it is being sent. */
  history: StoredMessage[]
  /** Selects the files that are sent with it. */
  files: NewFiles
}

/** Questions by chat that wait in the page until their files are uploaded. Like the uploads, they are lost when the page closes. */
const unsent = new Map<string, readonly string[]>()
const lines = new Map<string, Promise<unknown>>()
const listeners = new Set<() => void>()
const none: readonly string[] = []

function setUnsent(chatId: string, contents: readonly string[]): void {
  if (contents.length === 0) unsent.delete(chatId)
  else unsent.set(chatId, contents)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Questions that wait in the page until the chat's files are uploaded. */
export const useUnsent = (chatId: string): readonly string[] =>
  useSyncExternalStore(subscribe, () => unsent.get(chatId) ?? none)

/** Sends the question to the box in the order of asking, after the files added before it are uploaded. Throws if the box refuses it. */
function askInTurn(chatId: string, question: NewQuestion): Promise<void> {
  const before = lines.get(chatId) ?? Promise.resolve()
  const sent = before.then(() => send(chatId, question))
  lines.set(
    chatId,
    sent.catch(() => undefined),
  )
  return sent
}

async function send(chatId: string, { history, files, ...question }: NewQuestion): Promise<void> {
  if (attachments.uploads(chatId).some(({ failure }) => failure === undefined)) {
    setUnsent(chatId, [...(unsent.get(chatId) ?? none), question.content])
    await attachments.settled(chatId)
    setUnsent(chatId, (unsent.get(chatId) ?? none).slice(1))
  }
  const taken = new Set([...files.taken, ...given])
  // If the files can't be listed, the box attaches all that arrived since the previous message.
  const attached = await filesToAttach(chatId, { ...files, taken }).catch(() => [])
  const ids = attached.map(({ fileId }) => fileId)
  const draft = { ...question, attachments: ids.length > 0 ? ids : null }
  const session = chatSession(chatId)
  for (const id of ids) given.add(id)
  try {
    if (session.getState().phase !== "idle") await addToQueue(chatId, draft)
    else
      await session.askNext(
        { history, question: draft.content, files: attached, assistantId: draft.assistantId },
        () => addToQueue(chatId, draft),
      )
  } catch (error) {
    for (const id of ids) given.delete(id)
    throw error
  }
}

/** Files sent with questions from this page. The lists of stored messages may not include them yet. */
const given = new Set<string>()

interface AskingOptions {
  chatId: string
  /** The shown messages that are stored. */
  stored: StoredMessage[]
  /** Whether they are an earlier version. Questions then continue that version. */
  isBranch: boolean
  /** Files of the shown messages and of queued questions. */
  taken: ReadonlySet<string>
  choices: Choices
  /** The project that the chat is in, or will be in. */
  projectId: string | undefined
  writing: Writing
  /** Called when the box has accepted a question; `left`: its chat is no longer shown. */
  onTaken: (left: boolean) => void
}

interface Asked {
  /** The question that it replaces. */
  edited?: StoredMessage | undefined
  /** The template's question, if one is asked. */
  whole?: WholeQuestion
  /** The files that it is about, instead of those chosen. */
  files?: readonly { fileId: string }[]
  /** Narrows the files of the folders, instead of the filter chosen. */
  filter?: FileFilter
}

/** Asks the question in the composer, an edited question, or the same one again. */
export function useAsking(options: AskingOptions) {
  const { chatId, stored, isBranch, taken, choices, projectId, writing, onTaken } = options
  const [turnNumber, setTurnNumber] = useState(0)
  const left = useLeft()
  const { data: folders } = useFolders()
  const indexOf = (messageId: string | null) => stored.findIndex(({ id }) => id === messageId)
  /** Returns the message before the given one; null if that is the first. */
  const before = (messageId: string): string | null => stored[indexOf(messageId) - 1]?.id ?? null

  /** Sends the question to the box. Throws if the box refuses it. */
  async function ask(
    content: string,
    after: string | null | undefined,
    { edited, whole, files = choices.files, filter = choices.filter }: Asked = {},
  ): Promise<void> {
    // An assistant's handle typed in full needn't be chosen from the list.
    const mentioned = mentionedAssistant(content, choices.assistants ?? [])
    if (mentioned) choices.chooseAssistant(mentioned.id)
    setTurnNumber((number) => number + 1)
    const table = choices.reading === "passages" ? null : edited?.table
    const last = after === undefined ? stored.length : indexOf(after) + 1
    const assistantId = mentioned?.id ?? choices.assistantId
    const narrowed = splitFolders(filter, folders ?? [])
    await askInTurn(chatId, {
      content,
      vector: narrowed.folderIds ?? choices.folderIds,
      ...(isNarrowed(narrowed.filter) && { filter: narrowed.filter }),
      assistantId,
      ...(assistantId === null && { builtInTools: getFlags(choices.tools) }),
      modelId: choices.model?.id ?? null,
      ...(projectId !== undefined && { projectId }),
      ...(choices.reading && { reading: choices.reading }),
      ...(files.length > 0 && { fileIds: files.map(({ fileId }) => fileId) }),
      ...(table && { table, reading: "whole" }),
      ...(whole && { ...whole, reading: "whole" }),
      history: stored.slice(0, last),
      files: {
        since: stored.at(-1)?.createdAt,
        own: (edited?.attachments ?? []).map(({ fileId }) => fileId),
        taken,
      },
      ...(after === undefined ? {} : { after }),
    })
    rememberFolders(choices.folderIds)
    onTaken(left.current)
  }

  function submit() {
    const shownEnd = isBranch ? stored.at(-1)?.id : undefined
    const after = writing.editing === undefined ? shownEnd : before(writing.editing)
    const edited = stored.find(({ id }) => id === writing.editing)
    // A condition at the end of the question is complete when it is sent.
    const taken = takeConditions(writing.text.trim(), choices.filter, {
      isDone: choices.reading !== undefined,
    })
    const question = taken.text.trim()
    if (taken.filter !== choices.filter) choices.chooseFilter(taken.filter)
    if (question === "") return writing.setText("")
    const isChosen = choices.hasChosenFilter || taken.filter !== choices.filter || !edited
    writing.clear()
    ask(question, after, { edited, filter: isChosen ? taken.filter : (edited.filter ?? {}) }).catch(
      (error: unknown) => {
        showError(error)
        writing.giveBack(question)
      },
    )
  }

  /** Asks a follow-up question after the shown messages. */
  function continueAnswer(question: string) {
    ask(question, isBranch ? stored.at(-1)?.id : undefined).catch(showError)
  }

  /** Asks a template's question. */
  function askWhole(whole: WholeQuestion) {
    ask(whole.content, undefined, { whole }).catch(showError)
  }

  function retry(answer: ShownMessage) {
    const question = stored[indexOf(answer.key) - 1]
    if (question?.role === "user")
      ask(question.content, before(question.id), {
        edited: question,
        files: question.askedFiles ?? [],
        filter: question.filter ?? {},
      }).catch(showError)
  }

  return { submit, continueAnswer, askWhole, retry, askPassages: () => void askPassages(chatId), turnNumber }
}

const getFlags = (tools: readonly string[]) => Object.fromEntries(tools.map((key) => [key, true]))

/** Stops the answer being written and asks the same question with the best passages only. */
async function askPassages(chatId: string): Promise<void> {
  try {
    await box.chat.stop({ params: { chatId } })
    const { chat } = await box.conversations.read({ params: { id: chatId } })
    const index = chat.messages.findLastIndex(({ role }) => role === "user")
    const question = chat.messages[index]
    if (!question) return
    const { content, attachments, askedFiles, filter = null } = question
    const { assistantId } = chat
    const history = chat.messages.slice(0, index)
    const session = chatSession(chatId)
    session.leave() // the stopped answer is now a different version
    await session.askNext({ history, question: content, files: attachments ?? [], assistantId }, () =>
      addToQueue(chatId, {
        content,
        vector: chat.vectorIds,
        assistantId,
        modelId: chat.modelId,
        attachments: attachments?.map(({ fileId }) => fileId) ?? null,
        fileIds: askedFiles?.map(({ fileId }) => fileId) ?? null,
        filter,
        reading: "passages",
        builtInTools: chat.builtInTools,
        after: history.at(-1)?.id ?? null,
      }),
    )
  } catch (error) {
    showError(error)
  }
}

/** Tracks whether the component that uses it is no longer shown. */
function useLeft() {
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])
  return left
}

/** Returns the same object while the chat is shown. Each call reaches the functions of the latest render. */
export function useMessageActions(actions: MessageActions): MessageActions {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  return useMemo(
    () => ({
      edit: (question) => latest.current.edit(question),
      retry: (answer) => latest.current.retry(answer),
      explain: (answer) => latest.current.explain(answer),
      continueAnswer: (question) => latest.current.continueAnswer(question),
      stop: () => latest.current.stop(),
      askPassages: () => latest.current.askPassages(),
    }),
    [],
  )
}

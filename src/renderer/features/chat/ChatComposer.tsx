import { t } from "i18next"
import { Suspense } from "react"
import type { Reading } from "../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../shared/contract/conversations.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import type { QueueEntry } from "../../../shared/contract/queue.ts"
import { useFolders } from "../../data/folders/folders.ts"
import type { AnsweringModel } from "../../data/models/models.ts"
import { isNarrowed, takeConditions } from "../../lib/file-filter.ts"
import { later } from "../../lib/later.ts"
import { formatList } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Composer } from "./composer/Composer.tsx"
import { AttachmentList, type NextFiles } from "./composer/attachments/AttachmentList.tsx"
import { AssistantPicker, ToolPicker } from "./composer/choices/AssistantPicker.tsx"
import { FolderPicker, ReadingPicker } from "./composer/choices/FolderPicker.tsx"
import { ModelPicker } from "./composer/choices/ModelPicker.tsx"
import type { Choices } from "./composer/choices/use-choices.ts"
import type { Writing } from "./composer/use-writing.ts"
import type { RunningAnswer } from "./session/chat-sessions.ts"

/** Warns that not all documents in the selected folders are available to answers yet. */
function IndexingNote({ folderIds }: { folderIds: string[] }) {
  const { data: folders = [] } = useFolders()
  const count = folders
    .filter(({ id }) => folderIds.includes(id))
    .reduce((sum, { pendingCount }) => sum + pendingCount, 0)
  if (count === 0) return null
  return (
    <output className="mb-2 block px-1">
      <Note kind="quiet">{t("chat:folders.pending", { count })}</Note>
    </output>
  )
}

interface SendingNoteProps {
  folderIds: string[]
  /** How much of the folders is read. */
  reading: Reading | undefined
  /** The model that answers the next question. */
  model: AnsweringModel | undefined
  /** A local model that could answer instead. */
  local: AnsweringModel | undefined
  onChoose: (modelId: string) => void
}

/** Shows, before a question is asked, which content of the selected folders leaves this computer with it, and which doesn't. */
function SendingNote({ folderIds, reading, model, local, onChoose }: SendingNoteProps) {
  const { data: folders = [] } = useFolders()
  const chosen = folders.filter(({ id }) => folderIds.includes(id))
  if (!model || model.host === null || chosen.length === 0) return null
  const staying = chosen.filter(({ remote }) => remote === "never")
  const namedFolders = staying.length > 0 ? staying : chosen
  const names = formatList(namedFolders.map(({ name }) => name))
  const values = { folders: names, model: model.name, host: model.host, count: namedFolders.length }
  return (
    <output className="mb-2 block px-1">
      <Note kind="quiet">
        {staying.length > 0 ? t("chat:model.staysHere", values) : describeSending(values, reading)}
        {staying.length > 0 && local && (
          <>
            {" "}
            <button
              type="button"
              onClick={() => onChoose(local.id)}
              className="rounded text-accent underline underline-offset-2 hover:text-ink"
            >
              {t("chat:model.letAnswer", { name: local.name })}
            </button>
          </>
        )}
      </Note>
    </output>
  )
}

interface Sending {
  folders: string
  model: string
  host: string
  count: number
}

/** Describes what is sent. The amount may depend on the question. */
function describeSending(values: Sending, reading: Reading | undefined): string {
  if (reading === "whole") return t("chat:model.sendsWhole", { ...values })
  const passages = t("chat:model.sends", { ...values })
  return reading === "auto" ? `${passages} ${t("chat:model.sendsMore")}` : passages
}

const WaitingList = later(async () => (await import("./questions/WaitingList.tsx")).WaitingList)
const ChosenFiles = later(async () => (await import("./composer/ChosenFiles.tsx")).ChosenFiles)
const FilterChips = later(async () => (await import("../../ui/FilterChips.tsx")).FilterChips)
const EstimateNote = later(async () => (await import("./composer/EstimateNote.tsx")).EstimateNote)

const DecisionNote = later(async () => (await import("./composer/EstimateNote.tsx")).DecisionNote)

interface ChatComposerProps {
  chatId: string
  writing: Writing
  choices: Choices
  /** The chat's project. */
  project: Project | undefined
  answer: RunningAnswer
  /** The latest question, which can be edited. */
  lastQuestion: StoredMessage | undefined
  /** The chat's files to send with the next question; undefined while loading. */
  newFiles: NextFiles | undefined
  queue: QueueEntry[] | undefined
  /** Questions that wait in this page for their files. */
  unsent: readonly string[]
  onSubmit: () => void
  onAttach: (files: File[]) => void
}

/** The composer of a stored or new chat, with waiting items above the text and the choices below it. */
export function ChatComposer(props: ChatComposerProps) {
  const {
    chatId,
    writing,
    choices,
    project,
    answer,
    lastQuestion,
    newFiles,
    queue,
    unsent,
    onSubmit,
    onAttach,
  } = props
  const { folderIds } = choices

  /** Takes conditions such as `type:pdf` out of the text, if there are documents that they could narrow. */
  function type(text: string) {
    const isAboutFiles = choices.reading !== undefined
    const taken = takeConditions(text, choices.filter, { isDone: false })
    if (isAboutFiles && taken.filter !== choices.filter) choices.chooseFilter(taken.filter)
    writing.setText(isAboutFiles ? taken.text : text)
  }

  return (
    <Composer
      key={writing.focusKey}
      text={writing.text}
      onTextChange={type}
      onSubmit={onSubmit}
      onAttach={onAttach}
      onStop={answer.running ? answer.stop : undefined}
      stopping={answer.phase === "stopping"}
      onEditLast={
        answer.running || !lastQuestion
          ? undefined
          : () => writing.edit(lastQuestion.id, lastQuestion.content)
      }
      onCancelEdit={writing.editing === undefined ? undefined : writing.clear}
      placeholder={folderIds.length > 0 ? t("chat:askDocuments") : t("chat:askAnything")}
      mentions={choices.mentions}
      above={
        <>
          {((queue?.length ?? 0) > 0 || unsent.length > 0) && (
            <Suspense>
              <WaitingList chatId={chatId} entries={queue ?? []} unsent={unsent} folderIds={folderIds} />
            </Suspense>
          )}
          <AttachmentList chatId={chatId} next={newFiles} />
          {choices.files.length === 0 && <IndexingNote folderIds={folderIds} />}
          <SendingNote
            folderIds={folderIds}
            reading={choices.reading}
            model={choices.answering}
            local={choices.models?.find(({ host }) => host === null)}
            onChoose={choices.chooseModel}
          />
          <Suspense>
            {choices.reading === "whole" && <EstimateNote chatId={chatId} choices={choices} />}
            {choices.reading === "auto" && writing.text !== "" && (
              <DecisionNote chatId={chatId} choices={choices} text={writing.text} />
            )}
            {choices.files.length > 0 && <ChosenFiles files={choices.files} onChange={choices.chooseFiles} />}
            {isNarrowed(choices.filter) && (
              <FilterChips filter={choices.filter} onChange={choices.chooseFilter} className="mb-2" />
            )}
          </Suspense>
        </>
      }
    >
      <AssistantPicker
        assistants={choices.assistants ?? []}
        selected={choices.assistant}
        onChange={choices.chooseAssistant}
      />
      <ModelPicker
        models={choices.models}
        selected={choices.model}
        onOpen={choices.requestModels}
        onChange={choices.chooseModel}
      />
      {choices.assistantId === null && <ToolPicker selected={choices.tools} onChange={choices.chooseTools} />}
      <FolderPicker selected={folderIds} given={project} onChange={choices.chooseFolders} />
      {choices.reading && <ReadingPicker selected={choices.reading} onChange={choices.chooseReading} />}
    </Composer>
  )
}

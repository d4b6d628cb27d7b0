import { t } from "i18next"
import type { StoredMessage } from "../../../shared/contract/conversations.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import type { QueueEntry } from "../../../shared/contract/queue.ts"
import { Suspense } from "react"
import { later } from "../../lib/later.ts"
import { AssistantPicker } from "./composer/choices/AssistantPicker.tsx"
import { AttachmentList, type NextFiles } from "./composer/attachments/AttachmentList.tsx"
import { Composer } from "./composer/Composer.tsx"
import { FolderPicker } from "./composer/choices/FolderPicker.tsx"
import { IndexingNote } from "./composer/attachments/IndexingNote.tsx"
import { ModelPicker } from "./composer/choices/ModelPicker.tsx"
import { ReadingPicker } from "./composer/choices/ReadingPicker.tsx"
import { SendingNote } from "./composer/attachments/SendingNote.tsx"
import { ToolPicker } from "./composer/choices/ToolPicker.tsx"
import type { Choices } from "./composer/choices/use-choices.ts"
import type { Writing } from "./composer/use-writing.ts"
import type { RunningAnswer } from "./session/use-running-answer.ts"

const WaitingList = later(async () => (await import("./questions/WaitingList.tsx")).WaitingList)
const ChosenFiles = later(async () => (await import("./composer/ChosenFiles.tsx")).ChosenFiles)
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
  return (
    <Composer
      key={writing.focusKey}
      text={writing.text}
      onTextChange={writing.setText}
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

import { t } from "i18next"
import { Clock, Pencil, SendHorizontal, X } from "lucide-react"
import { useState, type ReactNode } from "react"
import { Link } from "wouter"
import { AppError } from "../../../../shared/contract/app-error.ts"
import type { ErrorBody } from "../../../../shared/contract/errors.ts"
import type { QueueEntry } from "../../../../shared/contract/queue.ts"
import { Sentence } from "../../../../shared/sentences/sentence.ts"
import { changeQuestion, removeQuestion, resumeQueue } from "../../../data/chats/queue.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError } from "../../../lib/toasts.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { useAttachments } from "../composer/attachments/attachments.ts"
import { fileState } from "../composer/attachments/attachment-store.ts"
import { TooMuch } from "./TooMuch.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"

/** Maximum number of characters shown of a question; three lines are visible. */
const maxShown = 1000

interface WaitingListProps {
  chatId: string
  entries: QueueEntry[]
  /** Questions whose files are still being uploaded. */
  unsent: readonly string[]
  /** The folders that are currently selected. */
  folderIds: string[]
}

const showErrorOnFailure = (work: Promise<void>): void => void work.catch(showError)

/** Shows queued questions in order, and why they wait. */
export function WaitingList({ chatId, entries, unsent, folderIds }: WaitingListProps) {
  const [first] = entries
  return (
    <section
      aria-label={t("chat:queue.title")}
      className="mb-2 flex max-h-56 flex-col gap-1.5 overflow-y-auto p-0.5"
    >
      {first ? (
        <Reason chatId={chatId} entries={entries} first={first} folderIds={folderIds} />
      ) : (
        <Note>{t("chat:queue.files")}</Note>
      )}
      <ol className="flex flex-col gap-1">
        {entries.map((entry) => (
          <WaitingRow key={entry.id} chatId={chatId} entry={entry} />
        ))}
        {unsent.map((content, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- they have nothing else that tells them apart
          <li key={index} className="flex items-start gap-1 rounded-lg bg-well py-1 pr-1 pl-3">
            <QuestionText text={content} />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface ReasonProps {
  chatId: string
  entries: QueueEntry[]
  first: QueueEntry
  folderIds: string[]
}

/** Why no question is asked now; nothing while an answer is being written. */
function Reason({ chatId, entries, first, folderIds }: ReasonProps) {
  if (first.stopped)
    return (
      <Note action={<ResumeButton chatId={chatId} label={t("chat:queue.resume")} />}>
        {t("chat:queue.stopped")}
      </Note>
    )
  if (first.problem?.code === "too_much_to_read")
    return (
      <TooMuch
        problem={first.problem}
        onPassages={() =>
          showErrorOnFailure(changeQuestion(chatId, first.id, { reading: "passages", table: null }))
        }
      />
    )
  if (first.problem) return <Problem chatId={chatId} entries={entries} problem={first.problem} />
  if (first.waitsFor === "approval") return <Note>{t("chat:queue.approval")}</Note>
  if (first.waitsFor === "files") return <Note>{t("chat:queue.files")}</Note>
  if (first.waitsFor === "model") return <NoModel chatId={chatId} entries={entries} folderIds={folderIds} />
  return null
}

function ResumeButton({ chatId, label }: { chatId: string; label: string }) {
  return (
    <Button variant="quiet" className="-my-1.5" onClick={() => showErrorOnFailure(resumeQueue(chatId))}>
      {label}
    </Button>
  )
}

function Problem({
  chatId,
  entries,
  problem,
}: Omit<ReasonProps, "first" | "folderIds"> & { problem: ErrorBody }) {
  const { code, error, sentence, details } = problem
  // The assistant was deleted, switched off or is no longer shared.
  const assistantGone =
    code === "assistant_disabled" || (code === "not_found" && entries[0]?.assistantId !== null)
  return (
    <Note kind="error" action={<ResumeButton chatId={chatId} label={t("chat:queue.retry")} />}>
      {describeError(new AppError(code, Sentence.asIs(error, sentence), { details }))}{" "}
      {assistantGone && (
        <TextButton
          label={t("chat:assistant.without")}
          onClick={() => changeAll(chatId, entries, { assistantId: null })}
        />
      )}
    </Note>
  )
}

function NoModel({ chatId, entries, folderIds }: Omit<ReasonProps, "first">) {
  return (
    <Note
      action={
        <Link href={routes.models} className="shrink-0 rounded font-medium text-accent hover:underline">
          {t("chat:models")}
        </Link>
      }
    >
      {t("chat:queue.model")}{" "}
      {folderIds.length === 0 ? (
        t("chat:queue.chooseFolder")
      ) : (
        <TextButton
          label={t("chat:queue.fromFolders")}
          onClick={() => changeAll(chatId, entries, { vector: folderIds })}
        />
      )}
    </Note>
  )
}

/** Changes the last question first. Otherwise the box asks the first one before the others are changed. */
async function changeEach(chatId: string, entries: QueueEntry[], patch: Change): Promise<void> {
  for (const { id } of entries.toReversed()) await changeQuestion(chatId, id, patch)
}
type Change = Parameters<typeof changeQuestion>[2]

const changeAll = (chatId: string, entries: QueueEntry[], patch: Change): void =>
  showErrorOnFailure(changeEach(chatId, entries, patch))

function TextButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="rounded font-medium text-accent hover:underline">
      {label}
    </button>
  )
}

function QuestionText({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <>
      <Clock className="mt-1.5 size-4 shrink-0 text-faint" aria-hidden />
      <div className="min-w-0 flex-1 px-1 py-1 text-sm">
        <p className="line-clamp-3 break-words whitespace-pre-wrap">{text.slice(0, maxShown)}</p>
        {children}
      </div>
    </>
  )
}

/** The files sent with a queued question, and their progress. */
function WaitingFiles({ chatId, fileIds }: { chatId: string; fileIds: readonly string[] }) {
  const { files } = useAttachments(chatId)
  return (
    <ul aria-label={t("chat:attach.sent")} className="mt-0.5 text-xs text-soft">
      {files
        .filter(({ id }) => fileIds.includes(id))
        .map((file) => (
          <WaitingFile key={file.id} name={file.name} state={fileState(file)} />
        ))}
    </ul>
  )
}

function WaitingFile({ name, state }: { name: string; state: string | undefined }) {
  return (
    <li className="flex">
      <span className="min-w-0 truncate" title={name}>
        <MiddleCut text={name} />
      </span>
      {state !== undefined && (
        <span className="max-w-1/2 shrink-0 truncate whitespace-pre" title={state}>
          {` · ${state}`}
        </span>
      )}
    </li>
  )
}

function WaitingRow({ chatId, entry }: { chatId: string; entry: QueueEntry }) {
  const { id, content, position, waitsFor } = entry
  const [editing, setEditing] = useState(false)
  if (editing) {
    return (
      <li>
        <WaitingEditor chatId={chatId} entry={entry} onDone={() => setEditing(false)} />
      </li>
    )
  }
  const canOverrideWait = position === 1 && (waitsFor === "files" || waitsFor === "approval")
  return (
    <li className="flex items-start gap-1 rounded-lg bg-well py-1 pr-1 pl-3">
      <QuestionText text={content}>
        {entry.attachments && <WaitingFiles chatId={chatId} fileIds={entry.attachments} />}
      </QuestionText>
      {canOverrideWait && (
        <IconButton
          label={waitsFor === "files" ? t("chat:queue.now") : t("chat:queue.nowDenied")}
          onClick={() => showErrorOnFailure(changeQuestion(chatId, id, { now: true }))}
        >
          <SendHorizontal aria-hidden />
        </IconButton>
      )}
      <IconButton label={t("chat:queue.edit")} onClick={() => setEditing(true)}>
        <Pencil aria-hidden />
      </IconButton>
      <IconButton
        label={t("chat:queue.remove")}
        onClick={() => showErrorOnFailure(removeQuestion(chatId, id))}
      >
        <X aria-hidden />
      </IconButton>
    </li>
  )
}

interface WaitingEditorProps {
  chatId: string
  entry: QueueEntry
  onDone: () => void
}

/** The question may be asked while the editor is open. Then it can no longer be changed. */
function WaitingEditor({ chatId, entry, onDone }: WaitingEditorProps) {
  const [text, setText] = useState(entry.content)
  function save() {
    if (text.trim() !== "") showErrorOnFailure(changeQuestion(chatId, entry.id, { content: text.trim() }))
    onDone()
  }
  return (
    <form
      className="flex items-end gap-2 rounded-lg border border-accent bg-field p-2"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <textarea
        ref={(element) => element?.focus()}
        aria-label={t("chat:queue.text")}
        value={text}
        rows={1}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone()
          else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) save()
          else return
          event.preventDefault()
        }}
        className="field-sizing-content max-h-32 min-w-0 flex-1 resize-none px-1 text-sm focus-visible:outline-none"
      />
      <Button type="submit">{t("chat:queue.save")}</Button>
    </form>
  )
}

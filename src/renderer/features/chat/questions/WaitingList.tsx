import { t } from "i18next"
import { Clock, Pencil, SendHorizontal, X } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import { useApprovals } from "../../../data/approvals.ts"
import { waitingQuestions } from "../../../data/waiting-questions.ts"
import type { Hold, WaitingQuestion } from "../../../data/waiting-store.ts"
import { routes } from "../../../lib/places/routes.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { IconButton } from "../../../ui/controls/IconButton.tsx"
import { Note } from "../../../ui/Note.tsx"
import { askFolders, askWithoutAssistant, releaseQuestions } from "./waiting-runner.ts"

/** Characters of a question: three lines are seen. */
const mostShown = 1000

interface WaitingListProps {
  chatId: string
  questions: WaitingQuestion[]
  hold: Hold | undefined
  /** The folders that are chosen now. */
  folderIds: string[]
  /** An answer is being made: that is what they wait for. */
  running: boolean
}

/** Questions that are still to be asked, in their order, and why they wait. */
export function WaitingList({ chatId, questions, hold, folderIds, running }: WaitingListProps) {
  const free = !running && hold === undefined
  const { data: approvals } = useApprovals(chatId, free && questions.length > 0)
  if (questions.length === 0) return null
  const waitsForApproval = free && approvals !== undefined && approvals.length > 0
  return (
    <section
      aria-label={t("chat:queue.title")}
      className="mb-2 flex max-h-56 flex-col gap-1.5 overflow-y-auto p-0.5"
    >
      {hold && <HoldNote chatId={chatId} hold={hold} folderIds={folderIds} />}
      {free && <Note>{waitsForApproval ? t("chat:queue.approval") : t("chat:queue.files")}</Note>}
      <ol className="flex flex-col gap-1">
        {questions.map((question, index) => (
          <WaitingRow
            key={question.id}
            chatId={chatId}
            question={question}
            askNow={
              free && index === 0
                ? waitsForApproval
                  ? t("chat:queue.nowDenied")
                  : t("chat:queue.now")
                : undefined
            }
          />
        ))}
      </ol>
    </section>
  )
}

interface HoldNoteProps {
  chatId: string
  hold: Hold
  folderIds: string[]
}

function HoldNote({ chatId, hold, folderIds }: HoldNoteProps) {
  const release = (label: string) => (
    <Button variant="quiet" className="-my-1.5" onClick={() => releaseQuestions(chatId)}>
      {label}
    </Button>
  )
  if (hold.kind === "failed")
    return (
      <Note kind="error" action={release(t("chat:queue.retry"))}>
        {hold.reason}
      </Note>
    )
  if (hold.kind === "assistant")
    return (
      <Note kind="error" action={release(t("chat:queue.retry"))}>
        {hold.reason}{" "}
        <button
          type="button"
          onClick={() => askWithoutAssistant(chatId)}
          className="rounded font-medium text-accent hover:underline"
        >
          {t("chat:assistant.without")}
        </button>
      </Note>
    )
  if (hold.kind === "stopped")
    return <Note action={release(t("chat:queue.goOn"))}>{t("chat:queue.stopped")}</Note>
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
        <button
          type="button"
          onClick={() => askFolders(chatId, folderIds)}
          className="rounded font-medium text-accent hover:underline"
        >
          {t("chat:queue.fromFolders")}
        </button>
      )}
    </Note>
  )
}

interface WaitingRowProps {
  chatId: string
  question: WaitingQuestion
  /** What it is called to ask without waiting any longer; undefined where that can't be. */
  askNow: string | undefined
}

function WaitingRow({ chatId, question, askNow }: WaitingRowProps) {
  const [editing, setEditing] = useState(false)
  if (editing) {
    return (
      <li>
        <WaitingEditor chatId={chatId} question={question} onDone={() => setEditing(false)} />
      </li>
    )
  }
  return (
    <li className="flex items-start gap-1 rounded-lg bg-well py-1 pr-1 pl-3">
      <Clock className="mt-1.5 size-4 shrink-0 text-faint" aria-hidden />
      <p className="line-clamp-3 min-w-0 flex-1 px-1 py-1 text-sm break-words whitespace-pre-wrap">
        {question.text.slice(0, mostShown)}
      </p>
      {askNow !== undefined && (
        <IconButton
          label={askNow}
          onClick={() => waitingQuestions.change(chatId, question.id, { now: true })}
        >
          <SendHorizontal aria-hidden />
        </IconButton>
      )}
      <IconButton label={t("chat:queue.edit")} onClick={() => setEditing(true)}>
        <Pencil aria-hidden />
      </IconButton>
      <IconButton label={t("chat:queue.remove")} onClick={() => waitingQuestions.remove(chatId, question.id)}>
        <X aria-hidden />
      </IconButton>
    </li>
  )
}

interface WaitingEditorProps {
  chatId: string
  question: WaitingQuestion
  onDone: () => void
}

/** While it is open the question may still be sent: then there is nothing to change any more. */
function WaitingEditor({ chatId, question, onDone }: WaitingEditorProps) {
  const [text, setText] = useState(question.text)
  function save() {
    if (text.trim() !== "") waitingQuestions.change(chatId, question.id, { text: text.trim() })
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

import { t } from "i18next"
import { ChevronLeft, ChevronRight, Pencil } from "lucide-react"
import { Suspense, type ReactNode, memo } from "react"
import { useLocation } from "wouter"
import { useAssistants } from "../../data/assistants.ts"
import { later } from "../../lib/later.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { Answer } from "./answer/Answer.tsx"
import type { BranchPoint } from "./session/branch-points.ts"
import type { ShownMessage } from "./session/chat-view.ts"

interface BranchSwitchProps {
  chatId: string
  point: BranchPoint
}

/** Switches between versions of a question or an answer. */
function BranchSwitch({ chatId, point: { variants, shown } }: BranchSwitchProps) {
  const [, navigate] = useLocation()
  const go = (index: number) => () => {
    const variant = variants[index]
    if (variant) navigate(routes.chatMessage(chatId, variant.messageId, variant.branch))
  }
  const place = { number: shown + 1, count: variants.length }
  return (
    <fieldset aria-label={t("chat:versions")} className="flex items-center text-xs text-faint">
      <IconButton label={t("chat:previousVersion")} onClick={go(shown - 1)} disabled={shown === 0}>
        <ChevronLeft aria-hidden />
      </IconButton>
      <span className="tabular-nums" aria-label={t("chat:versionOf", place)}>
        {t("chat:versionShort", place)}
      </span>
      <IconButton
        label={t("chat:nextVersion")}
        onClick={go(shown + 1)}
        disabled={shown === variants.length - 1}
      >
        <ChevronRight aria-hidden />
      </IconButton>
    </fieldset>
  )
}

/** The assistant that gave the answer. Renders nothing if it can no longer be used. */
function AnswerBy({ assistantId }: { assistantId: string }) {
  const { data: assistants } = useAssistants()
  const assistant = assistants?.find(({ id }) => id === assistantId)
  if (!assistant) return null
  return (
    <p className="mb-2 flex items-center gap-2 text-sm">
      <AssistantAvatar assistant={assistant} size="small" />
      <span className="min-w-0 truncate font-medium" title={`@${assistant.handle}`}>
        {assistant.name}
      </span>
    </p>
  )
}

const CopyQuestion = later(async () => (await import("./CopyQuestion.tsx")).CopyQuestion)

/** Shown on hover and on keyboard focus. */
const quietly =
  "mt-1 opacity-0 group-hover/question:opacity-100 focus-visible:opacity-100 no-hover:opacity-100"

interface QuestionProps {
  text: string
  /** Files sent with the question. */
  files: ReactNode
  versions: ReactNode
  /** Starts editing the question; undefined while an answer is in progress. */
  onEdit: (() => void) | undefined
}

/** The user's question. */
function Question({ text, files, versions, onEdit }: QuestionProps) {
  return (
    <article aria-label={t("chat:yourMessage")} className="group/question flex flex-col items-end gap-1.5">
      {files}
      <div className="flex w-full flex-row-reverse items-start gap-1">
        <p
          data-question
          dir="auto"
          className="max-w-[85%] rounded-xl bg-well px-3.5 py-2 text-[0.9375rem] leading-relaxed break-words whitespace-pre-wrap ring-1 ring-line"
        >
          <LongText text={text} />
        </p>
        {onEdit && (
          <IconButton label={t("chat:askDifferently")} onClick={onEdit} className={quietly}>
            <Pencil aria-hidden />
          </IconButton>
        )}
        {text !== "" && (
          <Suspense>
            <CopyQuestion text={text} className={quietly} />
          </Suspense>
        )}
      </div>
      {versions}
    </article>
  )
}

const AttachedFiles = later(async () => (await import("./parts/AttachedFiles.tsx")).AttachedFiles)

/** Actions for a message. The same object for as long as the chat is shown. */
export interface MessageActions {
  /** Starts editing a question. */
  edit: (question: ShownMessage) => void
  /** Asks the same question again for another answer. */
  retry: (answer: ShownMessage) => void
  /** Shows the sources of an answer. */
  explain: (answer: ShownMessage) => void
  /** Continues an answer that was cut off, by sending this question. */
  continueAnswer: (question: string) => void
  /** Stops the answer in progress. */
  stop: () => void
  /** Stops the answer and asks the same question with the best passages only. */
  askPassages: () => void
}

interface MessageRowProps {
  chatId: string
  message: ShownMessage
  /** The question that the answer belongs to. */
  question: string | undefined
  point: BranchPoint | undefined
  actions: MessageActions
  idle: boolean
  /** Codes of the lasting notices that appear for the first time in this message. */
  news: string
  /** Whether this is the chat's last message. */
  last: boolean
}

/** One message, re-rendered only when it changes. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { chatId, message, question, point, actions, idle, news, last } = props
  const versions = point && <BranchSwitch chatId={chatId} point={point} />
  return message.role === "assistant" ? (
    <>
      {message.assistantId !== undefined && <AnswerBy assistantId={message.assistantId} />}
      <Answer
        chatId={chatId}
        message={message}
        question={question}
        news={news}
        last={last}
        versions={versions}
        onRetry={idle ? () => actions.retry(message) : undefined}
        onExplain={() => actions.explain(message)}
        onContinue={actions.continueAnswer}
        onStop={actions.stop}
        onPassages={actions.askPassages}
      />
    </>
  ) : (
    <Question
      text={message.content}
      files={
        message.files.length > 0 && (
          <Suspense fallback={null}>
            <AttachedFiles chatId={chatId} files={message.files} idle={idle} />
          </Suspense>
        )
      }
      versions={versions}
      onEdit={idle ? () => actions.edit(message) : undefined}
    />
  )
})

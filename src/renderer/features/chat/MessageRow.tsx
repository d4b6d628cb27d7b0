import { memo, Suspense } from "react"
import { Answer } from "./answer/Answer.tsx"
import { AnswerBy } from "./answer/AnswerBy.tsx"
import type { BranchPoint } from "./session/branch-points.ts"
import { BranchSwitch } from "./BranchSwitch.tsx"
import type { ShownMessage } from "./session/chat-view.ts"
import { Question } from "./Question.tsx"
import { later } from "../../lib/later.ts"

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

import { memo } from "react"
import { Answer } from "./answer/Answer.tsx"
import { AnswerBy } from "./answer/AnswerBy.tsx"
import type { BranchPoint } from "./session/branch-points.ts"
import { BranchSwitch } from "./BranchSwitch.tsx"
import { AttachedFiles } from "./parts/AttachedFiles.tsx"
import type { ShownMessage } from "./session/chat-view.ts"
import { Question } from "./Question.tsx"

/** What can be done with a message. The same object for as long as the chat is shown. */
export interface MessageActions {
  /** Starts to ask a question differently. */
  edit: (question: ShownMessage) => void
  /** Asks for another answer to the same question. */
  retry: (answer: ShownMessage) => void
  /** Shows what an answer rests on. */
  explain: (answer: ShownMessage) => void
  /** Has an answer that was cut go on, by this question. */
  goOn: (question: string) => void
  /** Ends the answer that is being written. */
  stop: () => void
  /** Ends it and asks the same with the best passages alone. */
  askPassages: () => void
}

interface MessageRowProps {
  chatId: string
  message: ShownMessage
  /** What an answer is the answer to. */
  question: string | undefined
  point: BranchPoint | undefined
  actions: MessageActions
  idle: boolean
  /** Codes of the lasting notices that it is the first to say. */
  news: string
  /** The conversation ends with it. */
  last: boolean
}

/** One message, drawn again only when it has changed. */
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
        onGoOn={actions.goOn}
        onStop={actions.stop}
        onPassages={actions.askPassages}
      />
    </>
  ) : (
    <Question
      text={message.content}
      files={message.files.length > 0 && <AttachedFiles chatId={chatId} files={message.files} idle={idle} />}
      versions={versions}
      onEdit={idle ? () => actions.edit(message) : undefined}
    />
  )
})

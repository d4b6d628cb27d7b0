import { t } from "i18next"
import { MessageCircleQuestionMark } from "lucide-react"
import { useId } from "react"
import type { Question } from "../../../shared/contract/questions.ts"
import { useOpenQuestions } from "../../data/questions.ts"
import { describeError } from "../../lib/box.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { usePassedFocus } from "../../ui/use-passed-focus.ts"
import { QuestionChoices } from "./QuestionChoices.tsx"

/** Open questions to the user, newest first, each with its answer buttons; nothing if there are none. */
export function WaitingQuestions() {
  const { data: questions = [], error } = useOpenQuestions()
  if (error && questions.length === 0)
    return (
      <div className="p-3">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  if (questions.length === 0) return null
  return (
    <section aria-label={t("questions:waiting")} className="border-b border-line bg-well px-3 pt-2 pb-3">
      <h2 className="px-1 pb-1 text-xs font-medium text-faint">{t("questions:waiting")}</h2>
      <ul className="flex flex-col gap-2">
        {questions.map((question) => (
          <WaitingQuestion key={question.id} question={question} />
        ))}
      </ul>
    </section>
  )
}

function WaitingQuestion({ question }: { question: Question }) {
  const { title, description, default: answer, expiresAt } = question
  const { item, leave } = usePassedFocus()
  const id = useId()
  const moment = formatFullMoment(expiresAt)
  return (
    <li
      {...item}
      aria-labelledby={id}
      className="animate-appear rounded-lg border border-line-strong bg-raised p-4"
    >
      <div className="mb-3 flex items-start gap-2.5">
        <MessageCircleQuestionMark
          className="mt-0.5 size-5 shrink-0 text-warning"
          strokeWidth={1.75}
          aria-hidden
        />
        <div className="min-w-0 flex-1">
          <h3 id={id} className="font-medium break-words">
            {title}
          </h3>
          {description !== "" && (
            <p className="mt-0.5 text-sm break-words whitespace-pre-wrap text-soft">
              <LongText text={description} />
            </p>
          )}
        </div>
      </div>
      <div className="flex flex-wrap items-end gap-2">
        <QuestionChoices question={question} title={title} className="" onAnswer={leave} />
        <p className="ml-auto min-w-0 text-right text-xs break-words text-faint">
          {answer === null
            ? t("questions:openUntil", { moment })
            : t("questions:openUntilThen", { moment, answer })}
        </p>
      </div>
    </li>
  )
}

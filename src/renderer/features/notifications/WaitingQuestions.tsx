import { t } from "i18next"
import { MessageCircleQuestionMark } from "lucide-react"
import { useState, useId } from "react"
import type { ToldQuestion, Question } from "../../../shared/contract/questions.ts"
import { answerQuestion as answer, useOpenQuestions } from "../../data/questions.ts"
import { describeError } from "../../lib/box.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { usePassedFocus } from "../../ui/use-passed-focus.ts"
import { showError } from "../../lib/toasts.ts"

/** Answers a question to the user. The outcome arrives with its notification. */
export const answerQuestion = (id: string, choice: string): Promise<void> =>
  answer(id, choice).catch(showError)

interface QuestionChoicesProps {
  question: Pick<ToldQuestion, "id" | "choices">
  title: string
  className: string
  /** The buttons disappear after the answer, so the parent decides where the focus goes. */
  onAnswer: (button: HTMLElement) => void
}

/** A button for each possible answer to a question. */
export function QuestionChoices({ question, title, className, onAnswer }: QuestionChoicesProps) {
  const { id, choices } = question
  const [chosen, setChosen] = useState<string>()
  return (
    <fieldset aria-label={title} className={classNames("flex min-w-0 flex-wrap gap-1.5", className)}>
      {choices.map((choice) => (
        <Button
          key={choice}
          busy={choice === chosen}
          disabled={chosen !== undefined}
          className="h-auto! min-h-8 max-w-full shrink! py-1 text-left break-words whitespace-normal!"
          onClick={({ currentTarget }) => {
            onAnswer(currentTarget)
            setChosen(choice)
            void answerQuestion(id, choice).finally(() => setChosen(undefined))
          }}
        >
          <span className="min-w-0 break-words">{choice}</span>
        </Button>
      ))}
    </fieldset>
  )
}

/** The outcome of a question; undefined while it is open. */
export function getOutcome({ status, answer }: ToldQuestion): string | undefined {
  if (status === "open") return undefined
  if (answer === null) return t("questions:expired")
  return status === "answered" ? t("questions:answered", { answer }) : t("questions:byDefault", { answer })
}

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

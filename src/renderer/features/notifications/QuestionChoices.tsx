import { t } from "i18next"
import { useState } from "react"
import type { ToldQuestion } from "../../../shared/contract/questions.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import { answerQuestion } from "./answer-question.ts"

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

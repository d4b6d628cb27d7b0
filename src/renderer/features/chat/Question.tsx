import { t } from "i18next"
import { Pencil } from "lucide-react"
import { Suspense, type ReactNode } from "react"
import { later } from "../../lib/later.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { LongText } from "../../ui/text/LongText.tsx"

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
export function Question({ text, files, versions, onEdit }: QuestionProps) {
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

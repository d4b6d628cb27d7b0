import { t } from "i18next"
import { Undo2 } from "lucide-react"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { routes } from "../../../lib/navigation/routes.ts"
import { Button } from "../../../ui/controls/Button.tsx"

interface ChangeRowProps {
  /** Describes the change. */
  words: string
  /** When, by whom and where. */
  details: ReactNode
  /** The chat in which it was done. */
  chatId: string | null
  /** Undoes it; null if it can't be undone, or already was. */
  undo: { run: () => void; busy: boolean } | null
  /** Shown instead of the button. */
  mark?: string | undefined
}

/** One step in a file's history, with an undo button. */
export function ChangeRow({ words, details, chatId, undo, mark }: ChangeRowProps) {
  return (
    <li className="flex items-start gap-3 px-3 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="break-words">{words}</p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-faint">
          {details}
          {chatId !== null && (
            <Link href={routes.chat(chatId)} className="rounded text-accent underline underline-offset-2">
              {t("filing:conversation")}
            </Link>
          )}
        </p>
      </div>
      {undo && (
        <Button
          variant="quiet"
          busy={undo.busy}
          aria-label={t("filing:undoOne", { what: words })}
          onClick={undo.run}
        >
          <Undo2 aria-hidden /> {t("filing:undo")}
        </Button>
      )}
      {mark !== undefined && <span className="py-1 text-xs text-faint">{mark}</span>}
    </li>
  )
}

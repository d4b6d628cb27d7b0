import { t } from "i18next"
import { LongText } from "../text/LongText.tsx"

interface PlainBlockProps {
  text: string
  /** It is still being read. */
  unread: boolean
}

/**
 * A piece as it was written: until it is read, or because that or drawing it would take too long. Of several of those in a
 * row the first says so.
 */
export function PlainBlock({ text, unread }: PlainBlockProps) {
  return (
    <div className={unread ? "unread" : "plain"}>
      {!unread && <p className="plain-note">{t("chat:markdown.plain")}</p>}
      <LongText text={text} />
    </div>
  )
}

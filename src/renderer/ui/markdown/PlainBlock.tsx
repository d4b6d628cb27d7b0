import { t } from "i18next"
import { LongText } from "../text/LongText.tsx"

interface PlainBlockProps {
  text: string
  /** Whether it is still being read. */
  unread: boolean
}

/**
 * A piece shown as written, either until it has been read, or because reading or rendering it would take too long. The first of several
 * such pieces explains this.
 */
export function PlainBlock({ text, unread }: PlainBlockProps) {
  return (
    <div className={unread ? "unread" : "plain"}>
      {!unread && <p className="plain-note">{t("chat:markdown.plain")}</p>}
      <LongText text={text} />
    </div>
  )
}

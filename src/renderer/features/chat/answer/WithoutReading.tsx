import { t } from "i18next"
import { ListTree } from "lucide-react"
import { useConversation } from "../../../data/chats/conversations.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { factKinds, routes } from "../../../lib/navigation/routes.ts"
import { Button, ButtonLink } from "../../../ui/controls/Button.tsx"

/** When a question couldn't be answered by reading everything, links to what the folder, or its only file, shows without a model. */
export function WithoutReading({ chatId }: { chatId: string }) {
  const { data: chat } = useConversation(chatId, undefined, true)
  const openDocument = useOpenDocument()
  const files = chat?.messages.findLast(({ role }) => role === "user")?.askedFiles ?? []
  const [only] = files.length === 1 ? files : []
  if (only)
    return (
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() =>
            openDocument({
              vectorId: only.vectorId,
              fileId: only.fileId,
              fileName: only.name,
              showsOutline: true,
            })
          }
        >
          <ListTree aria-hidden /> {t("pages:asOutline")}
        </Button>
      </div>
    )
  const [folderId] = chat?.vectorIds ?? []
  if (folderId === undefined) return null
  return (
    <nav
      aria-label={t("templates:withoutModel")}
      className="flex flex-wrap items-center gap-2 text-sm text-soft"
    >
      {t("templates:withoutModel")}
      {factKinds.map((kind) => (
        <ButtonLink key={kind} href={routes.folderFacts(folderId, kind)}>
          {t(`overview:kind.${kind}`)}
        </ButtonLink>
      ))}
      <ButtonLink href={routes.folderTab(folderId, "overview")}>{t("overview:terms")}</ButtonLink>
    </nav>
  )
}

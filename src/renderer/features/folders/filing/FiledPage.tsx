import { t } from "i18next"
import { Undo2 } from "lucide-react"
import { Link } from "wouter"
import { useFilings } from "../../../data/folders/filing.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { EmptyState, PageHeader } from "../../../ui/PageParts.tsx"
import { Note } from "../../../ui/Note.tsx"
import { ChangeRow, filingWords, useUndo } from "./FileHistory.tsx"

/** All changes to the names, locations and tags of the user's files, newest first. */
export function FiledPage() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useFilings()
  const { data: folders = [] } = useFolders()
  const { busy, undo } = useUndo()
  const filings = data?.pages.flatMap((page) => page.filings)
  const folderName = (id: string): string => folders.find((folder) => folder.id === id)?.name ?? ""
  return (
    <section aria-label={t("filing:changes")} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("filing:changes")} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error && (
          <div className="p-4">
            <Note kind="error">{describeError(error)}</Note>
          </div>
        )}
        {filings?.length === 0 && (
          <EmptyState icon={Undo2} title={t("filing:none")}>
            {t("filing:noneText")}
          </EmptyState>
        )}
        {filings && filings.length > 0 && (
          <div className="mx-auto max-w-3xl px-4 py-5">
            <p className="mb-3 text-sm text-soft">{t("filing:changesText")}</p>
            <ul
              aria-label={t("filing:changes")}
              className="divide-y divide-line rounded-lg border border-line"
            >
              {filings.map((filing) => {
                const { id, action, became, chatId, createdAt, undoneAt } = filing
                return (
                  <ChangeRow
                    key={id}
                    words={filingWords(filing, folderName)}
                    details={
                      <>
                        {(action === "tag" || action === "move") && (
                          <span className="break-words text-soft">{became.name}</span>
                        )}
                        <span>{formatFullMoment(createdAt)}</span>
                        <Link
                          href={routes.folder(became.vectorId)}
                          className="rounded text-accent underline underline-offset-2"
                        >
                          {folderName(became.vectorId)}
                        </Link>
                      </>
                    }
                    chatId={chatId}
                    undo={undoneAt === null ? { run: () => undo(id), busy: busy === id } : null}
                    mark={undoneAt === null ? undefined : t("filing:undone")}
                  />
                )
              })}
            </ul>
            {hasNextPage && (
              <Button className="mt-2" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {t("filing:more")}
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  )
}

import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Undo2 } from "lucide-react"
import { useState, type ReactNode } from "react"
import { Link } from "wouter"
import type { Filing, FilingDraft, HistoryEntry } from "../../../../shared/contract/filing.ts"
import { refreshFolders, useFolders } from "../../../data/folders/folders.ts"
import { queryClient } from "../../../data/query-client.ts"
import { box, describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../../ui/PageParts.tsx"
import { Button } from "../../../ui/controls/Button.tsx"

const filingKey = ["filing"] as const
const pageSize = 50

/** The filing actions for a file, newest first. */
const useFileHistory = (folderId: string, fileId: string) =>
  useQuery({
    queryKey: [...filingKey, "history", folderId, fileId],
    queryFn: ({ signal }) => box.filing.history({ params: { id: folderId, fileId } }, { signal }),
  })

/** The filing actions for the user's files, newest first, one page at a time. */
const useFilings = () =>
  useInfiniteQuery({
    queryKey: [...filingKey, "all"],
    queryFn: ({ pageParam, signal }) =>
      box.filing.list({ query: { limit: pageSize, offset: pageParam } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
  })

async function refresh({ was: before, became: after }: Filing): Promise<void> {
  const folders = new Set([after.vectorId, ...(before ? [before.vectorId] : [])])
  await Promise.all([queryClient.invalidateQueries({ queryKey: filingKey }), refreshFolders([...folders])])
}

export async function fileAs(draft: FilingDraft): Promise<void> {
  const { filing } = await box.filing.file({ body: draft })
  await refresh(filing)
}

async function undoFiling(id: string): Promise<void> {
  const { filing } = await box.filing.undo({ params: { id } })
  await refresh(filing)
}

/** Describes a step in a file's history. */
function stepWords({ step, action, automation, from, to }: HistoryEntry): string {
  switch (step) {
    case "matched":
      return t("filing:step.matched", { automation: automation ?? "" })
    case "read":
    case "allowed":
    case "denied":
    case "expired":
      return t(`filing:step.${step}`)
    case "proposed":
    case "done":
    case "undone":
      if (action === null) return ""
      if (step === "done" && action === "tag" && to === "") return t("filing:step.done.untag")
      return t(`filing:step.${step}.${action}`, { from: from ?? "", to: to ?? "" })
  }
}

/** Describes a filing. */
function filingWords(
  { action, was: before, became: after }: Filing,
  folderName: (id: string) => string,
): string {
  if (action === "tag" && after.tags.length === 0) return t("filing:step.done.untag")
  const describeState = (as: Filing["became"]): string => {
    if (action === "tag") return as.tags.join(", ")
    if (action !== "move") return as.name
    return [folderName(as.vectorId), ...(as.folder === "" ? [] : [as.folder])].join("/")
  }
  return t(`filing:step.done.${action}`, {
    from: before ? describeState(before) : "",
    to: describeState(after),
  })
}

/** Undoes changes; `busy` is the id of the one being undone. */
function useUndo(): { busy: string | null; undo: (id: string) => void } {
  const [busy, setBusy] = useState<string | null>(null)
  const undo = (id: string) => {
    setBusy(id)
    undoFiling(id)
      .then(() => showToast(t("filing:notice.undone")), showError)
      .finally(() => setBusy(null))
  }
  return { busy, undo }
}

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
function ChangeRow({ words, details, chatId, undo, mark }: ChangeRowProps) {
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

/** A file's history, newest step first; nothing if it has none. */
export function FileHistory({ folderId, fileId }: { folderId: string; fileId: string }) {
  const { data, error } = useFileHistory(folderId, fileId)
  const { busy, undo } = useUndo()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!data || data.history.length === 0) return null
  const undone = new Set(
    data.history.flatMap(({ step, filingId }) => (step === "undone" && filingId !== null ? [filingId] : [])),
  )
  return (
    <section aria-labelledby={`history-${fileId}`} className="mt-4">
      <h3 id={`history-${fileId}`} className="mb-1 text-sm font-medium">
        {t("filing:history")}
      </h3>
      <ol
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        aria-labelledby={`history-${fileId}`}
        className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line"
      >
        {data.history.map((entry) => {
          const { at, step, by, chatId, filingId } = entry
          const canUndo = step === "done" && filingId !== null && !undone.has(filingId)
          return (
            <ChangeRow
              key={`${at}${step}${filingId ?? ""}`}
              words={stepWords(entry)}
              details={
                <>
                  <span>{formatFullMoment(at)}</span>
                  {by !== null && by !== "" && <span>{t("filing:by", { name: by })}</span>}
                </>
              }
              chatId={chatId}
              undo={canUndo ? { run: () => undo(filingId), busy: busy === filingId } : null}
            />
          )
        })}
      </ol>
    </section>
  )
}

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
                const { id, action, became: after, chatId, createdAt, undoneAt } = filing
                return (
                  <ChangeRow
                    key={id}
                    words={filingWords(filing, folderName)}
                    details={
                      <>
                        {(action === "tag" || action === "move") && (
                          <span className="break-words text-soft">{after.name}</span>
                        )}
                        <span>{formatFullMoment(createdAt)}</span>
                        <Link
                          href={routes.folder(after.vectorId)}
                          className="rounded text-accent underline underline-offset-2"
                        >
                          {folderName(after.vectorId)}
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

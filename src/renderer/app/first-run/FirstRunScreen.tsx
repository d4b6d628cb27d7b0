import { t } from "i18next"
import { BookOpen, FileUp, FolderOpen, ArrowRight } from "lucide-react"
import { useState, useId, type ReactNode, useEffect, useRef, useSyncExternalStore } from "react"
import { Link, useLocation } from "wouter"
import { useCreateFolder, useFolder } from "../../data/folders/folders.ts"
import { useCatalogue, useModels } from "../../data/models/models.ts"
import { DropZone, useFileChooser } from "../../features/folders/uploads/FileChooser.tsx"
import { toFolderName, type UploadItem, uploads } from "../../features/folders/uploads/upload-queue.ts"
import { RecommendedCard } from "../../features/models/RecommendedCard.tsx"
import { describeError, hasCode } from "../../lib/box.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { writeDraft } from "../../lib/remembered.ts"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { endFirstRun } from "./first-run-done.ts"

/** Returns the name for a folder with these files: the directory that contains all of them, if there is one. */
export function nameForItems(items: Pick<UploadItem, "relativePath">[]): string | undefined {
  const tops = new Set(items.map(({ relativePath }) => relativePath.split("/").slice(0, -1)[0]))
  return tops.size === 1 ? [...tops][0] : undefined
}

const maxNameLength = 120

interface FirstFolder {
  /** Adds files to a folder, or to a new folder named after them. */
  addItems(items: UploadItem[], folderId?: string): void
  /** Creates a folder that follows a directory. */
  follow(path: string): void
  tryExample(): void
  isExample: boolean
  isPending: boolean
  error: Error | null
}

/** Creates the first folder from any source. */
function useFirstFolder(onFolder: (folderId: string) => void): FirstFolder {
  const create = useCreateFolder()
  const [isExample, setIsExample] = useState(false)

  function make(name: string, items: UploadItem[], folder?: string): void {
    create.mutate(
      { name: name.slice(0, maxNameLength), ...(folder === undefined ? {} : { folder }) },
      {
        onSuccess({ vector }) {
          if (items.length > 0) uploads.add(vector.id, items)
          onFolder(vector.id)
        },
      },
    )
  }

  return {
    addItems(items, folderId) {
      if (folderId === undefined) make(nameForItems(items) ?? t("firstRun:folderName"), items)
      else uploads.add(folderId, items)
    },
    follow: (path) => make(toFolderName(path) || path, [], path),
    tryExample() {
      const name = t("firstRun:exampleFile")
      const file = new File([t("firstRun:exampleText")], name, { type: "text/markdown" })
      setIsExample(true)
      make(t("firstRun:exampleFolder"), [{ relativePath: name, open: () => Promise.resolve(file) }])
    },
    isExample,
    isPending: create.isPending,
    error: create.error,
  }
}

/** One of the two first-run steps. */
function StepCard({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line p-4">
      <h2 id={id} className="mb-1 font-medium">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** Lets the user choose where the first documents come from. */
function DocumentsCard({ first }: { first: FirstFolder }) {
  const { openFiles, openDirectory, inputs } = useFileChooser((items) => first.addItems(items))
  const pickDirectory = shellBridge()?.pickDirectory

  async function pick() {
    const path = await pickDirectory?.()
    if (typeof path === "string") first.follow(path)
  }

  return (
    <>
      <div className="mt-3 rounded-lg border border-dashed border-line-strong px-4 py-5 text-center text-sm text-soft">
        {t("firstRun:documentsHint")}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          variant="primary"
          busy={first.isPending && !first.isExample}
          disabled={first.isPending}
          onClick={pickDirectory ? () => void pick() : openDirectory}
        >
          <FolderOpen aria-hidden /> {pickDirectory ? t("firstRun:follow") : t("firstRun:directory")}
        </Button>
        <Button disabled={first.isPending} onClick={openFiles}>
          <FileUp aria-hidden /> {t("firstRun:files")}
        </Button>
        <Button
          variant="quiet"
          busy={first.isPending && first.isExample}
          disabled={first.isPending}
          onClick={first.tryExample}
        >
          <BookOpen aria-hidden /> {t("firstRun:example")}
        </Button>
      </div>
      {pickDirectory ? (
        <p className="mt-2 text-xs text-faint">{t("firstRun:followHint")}</p>
      ) : (
        <Link
          href={routes.newFolder}
          className="mt-2 inline-block rounded text-xs text-soft underline underline-offset-2 hover:text-ink"
        >
          {t("firstRun:path")}
        </Link>
      )}
      {first.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(first.error)}</Note>
        </div>
      )}
      {inputs}
    </>
  )
}

/** The indexing progress of the first documents, with a link to the first question as soon as one document is ready. */
function ReadingCard({ folderId, isExample }: { folderId: string; isExample: boolean }) {
  const { data: folder, error } = useFolder(folderId)
  const { total, done } = useSyncExternalStore(uploads.subscribe, uploads.getState)
  const [, navigate] = useLocation()
  const askButton = useRef<HTMLButtonElement>(null)

  const { fileCount = 0, pendingCount = 0, failedCount = 0 } = folder ?? {}
  // New uploads may not be counted yet.
  const count = done < total ? Math.max(fileCount, total) : fileCount
  const ready = fileCount - pendingCount - failedCount
  const canAsk = ready > 0

  useEffect(() => {
    if (canAsk && document.activeElement === document.body) askButton.current?.focus()
  }, [canAsk])

  function leaveFor(route: string) {
    endFirstRun()
    navigate(route)
  }

  function ask() {
    if (isExample) writeDraft("new-chat", t("firstRun:exampleQuestion"))
    leaveFor(routes.newChatIn(folderId))
  }

  if (error) return <Note kind="error">{describeError(error)}</Note>
  return (
    <>
      <p className="mt-3 truncate text-sm font-medium" title={folder?.name}>
        {folder?.name}
      </p>
      <output className="mt-1 mb-2 block text-sm text-soft">
        {count === 0 ? t("firstRun:looking") : t("firstRun:progress", { ready, count })}{" "}
        {failedCount > 0 && t("firstRun:failed", { count: failedCount })}
      </output>
      {count > 0 && (
        <ProgressBar percent={(100 * (ready + failedCount)) / count} label={t("firstRun:label")} />
      )}
      {isExample && canAsk && (
        <p className="mt-3 text-sm text-soft">
          {t("firstRun:exampleTry", { question: t("firstRun:exampleQuestion") })}
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button ref={askButton} variant="primary" disabled={!canAsk} onClick={ask}>
          {t("firstRun:ask")} <ArrowRight aria-hidden />
        </Button>
        <Button variant="quiet" onClick={() => leaveFor(routes.folder(folderId))}>
          {t("firstRun:open")}
        </Button>
      </div>
    </>
  )
}

interface FirstRunScreenProps {
  /** The folder created here. */
  folderId: string | undefined
  onFolder: (folderId: string) => void
}

/** The first-run screen: documents to start with and, next to them, a model. Both can be skipped. */
export function FirstRunScreen({ folderId, onFolder }: FirstRunScreenProps) {
  const first = useFirstFolder(onFolder)
  const [later, setLater] = useState(false)
  const { error } = useCatalogue()
  const { data: models } = useModels()
  const mayChooseModels = !hasCode(error, "forbidden")

  return (
    <DropZone invitation={t("firstRun:drop")} onItems={(items) => first.addItems(items, folderId)}>
      <section aria-label={t("firstRun:title")} className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <div className="m-auto w-full max-w-4xl px-6 py-8">
          <header className="flex items-start gap-4">
            <div className="min-w-0 flex-1">
              <h1 className="text-xl font-semibold tracking-tight">{t("firstRun:title")}</h1>
              <p className="mt-1 text-soft">
                {models?.chat?.kind === "remote" ? t("firstRun:introServer") : t("firstRun:intro")}
              </p>
            </div>
            {folderId === undefined && (
              <Button variant="quiet" onClick={endFirstRun}>
                {t("firstRun:skip")}
              </Button>
            )}
          </header>
          <div className="mt-5 grid items-start gap-4 lg:grid-cols-2">
            <StepCard title={t("firstRun:documents")}>
              {folderId === undefined ? (
                <DocumentsCard first={first} />
              ) : (
                <ReadingCard folderId={folderId} isExample={first.isExample} />
              )}
            </StepCard>
            {mayChooseModels && (
              <StepCard title={t("models:card.title")}>
                <p className="mb-3 text-sm text-soft">
                  {later ? t("models:card.laterHint") : t("models:card.why")}
                </p>
                {!later && <RecommendedCard onLater={() => setLater(true)} />}
              </StepCard>
            )}
          </div>
        </div>
      </section>
    </DropZone>
  )
}

import { t } from "i18next"
import type { ReactNode } from "react"
import type { ChatImport, FoundChats } from "../../../shared/contract/chat-imports.ts"
import { describeError } from "../../lib/box.ts"
import { formatCount, formatDay } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { ImportResult } from "./ImportResult.tsx"
import { useConfirmImport, useStopImport } from "./imports.ts"
import { getFailure } from "./skipped-by-reason.ts"

/** An import's progress or result. */
export function ImportStatus({ progress }: { progress: ChatImport }) {
  switch (progress.status) {
    case "queued":
    case "checking":
    case "running":
      return <UnderWay progress={progress} />
    case "found":
      return progress.found && <Found id={progress.id} found={progress.found} />
    case "completed":
      return <ImportResult progress={progress} />
    case "stopped":
      return progress.done === 0 ? null : <ImportResult progress={progress} />
    case "failed":
      return <Failed progress={progress} />
  }
}

function UnderWay({ progress: { id, found, done, chats, status } }: { progress: ChatImport }) {
  const stop = useStopImport()
  const isTaking = status !== "checking" && found !== null
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 text-sm text-soft">
      <div className="min-w-0 flex-1">
        <output className="block">
          {isTaking
            ? t("imports:running", { done: formatCount(done), all: formatCount(found.chats) })
            : t("imports:checking")}
        </output>
        {isTaking && (
          <div className="mt-1.5">
            <ProgressBar
              percent={(100 * done) / Math.max(1, found.chats)}
              label={t("imports:brought", { count: chats })}
            />
          </div>
        )}
        {stop.error && <p className="mt-1 text-danger">{describeError(stop.error)}</p>}
      </div>
      <Button busy={stop.isPending} onClick={() => stop.mutate(id)}>
        {t("imports:stop")}
      </Button>
    </div>
  )
}

const day = (iso: string) => formatDay(new Date(iso), "year")

/** The file's contents before anything is imported. */
function Found({ id, found: { chats, here, from, to } }: { id: string; found: FoundChats }) {
  const confirm = useConfirmImport()
  const stop = useStopImport()
  return (
    <Card>
      <p className="font-medium">{t("imports:found", { count: chats })}</p>
      {from !== null && to !== null && (
        <p className="mt-0.5 text-soft">
          {day(from) === day(to)
            ? t("imports:on", { day: day(from) })
            : t("imports:between", { from: day(from), to: day(to) })}
        </p>
      )}
      {here > 0 && (
        <p className="mt-0.5 text-soft">
          {here === chats ? t("imports:allHere") : t("imports:someHere", { count: here })}
        </p>
      )}
      {confirm.error && (
        <div className="mt-2">
          <Note kind="error">{describeError(confirm.error)}</Note>
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="primary" busy={confirm.isPending} onClick={() => confirm.mutate(id)}>
          {t("imports:take", { count: chats })}
        </Button>
        <Button busy={stop.isPending} onClick={() => stop.mutate(id)}>
          {t("common:cancel")}
        </Button>
      </div>
    </Card>
  )
}

function Failed({ progress }: { progress: ChatImport }) {
  const failure = getFailure(progress.skipped)
  return (
    <>
      <Note kind="error">
        {failure ? toPageLanguage(failure.reason, failure.sentence) : t("imports:failed")}
      </Note>
      {progress.chats > 0 && (
        <div className="mt-3">
          <ImportResult progress={progress} />
        </div>
      )}
    </>
  )
}

const Card = ({ children }: { children: ReactNode }) => (
  <output className="block rounded-lg border border-line px-3 py-3 text-sm">{children}</output>
)

import { t } from "i18next"
import { X } from "lucide-react"
import { Link } from "wouter"
import type { Automation, Cause, Run } from "../../../shared/contract/automations.ts"
import { cancelRun, useRuns } from "../../data/automations.ts"
import { useFile } from "../../data/folders/files.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { showFailure } from "./run-now.ts"
import { RunState } from "./RunState.tsx"
import { causeWords, momentWords } from "./run-words.ts"

/** An automation's runs, newest first, one page at a time. */
export function Runs({ automation }: { automation: Automation }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns(automation.id)
  const runs = data?.pages.flatMap((page) => page.runs)
  const folderId = automation.trigger.kind === "file" ? automation.trigger.vectorId : undefined
  return (
    <section>
      <h2 className="mb-2 font-medium">{t("automations:runs")}</h2>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {runs?.length === 0 && <p className="text-sm text-soft">{t("automations:noRuns")}</p>}
      {runs && runs.length > 0 && (
        <ul aria-label={t("automations:runs")} className="divide-y divide-line rounded-lg border border-line">
          {runs.map((run) => (
            <li key={run.id}>
              <RunRow run={run} folderId={folderId} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="mt-2" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("automations:moreRuns")}
        </Button>
      )}
    </section>
  )
}

/** Runs that are queued, running or waiting. */
const canEnd = ({ status }: Run): boolean =>
  status === "queued" || status === "running" || status === "waiting"

const getFile = (cause: Cause) => (cause.kind === "file" || cause.kind === "manual" ? cause : undefined)

function RunRow({ run, folderId }: { run: Run; folderId: string | undefined }) {
  const { cause, chatId, error, startedAt, status, attempt } = run
  const about = getFile(cause)
  // Runs from an earlier version don't store their file's name.
  const unnamed = about?.fileName === undefined && folderId !== undefined ? about?.fileId : undefined
  const { data: file } = useFile(folderId ?? "", unnamed)
  const isDry = cause.kind === "manual" && cause.dryRun === true
  const why = causeWords(cause, about?.fileName ?? file?.name)
  return (
    <div className="flex items-start gap-3 px-3 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <RunState status={status} />
          {isDry && (
            <span className="rounded bg-tint px-1.5 text-xs leading-5 text-accent">
              {t("automations:try.mark")}
            </span>
          )}
          {startedAt !== null && <span className="text-xs text-faint">{momentWords(startedAt)}</span>}
        </p>
        <p className="mt-0.5 text-xs break-words text-soft">
          {why}
          {attempt > 1 && ` ${t("automations:attempt", { count: attempt })}`}
        </p>
        {error && (
          <p className="mt-0.5 text-xs break-words text-danger">
            {toPageLanguage(error.error, error.sentence)}
          </p>
        )}
      </div>
      {chatId !== null && (
        <Link
          href={routes.chat(chatId)}
          aria-label={t("automations:openRun", {
            why,
            moment: startedAt === null ? "" : momentWords(startedAt),
          })}
          className="shrink-0 rounded text-accent underline underline-offset-2"
        >
          {t("automations:openChat")}
        </Link>
      )}
      {canEnd(run) && (
        <IconButton
          label={t("automations:cancelRun", { why })}
          className="-my-1"
          onClick={() => void cancelRun(run.id).catch(showFailure)}
        >
          <X aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

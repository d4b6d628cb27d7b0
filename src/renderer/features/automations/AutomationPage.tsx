import { t } from "i18next"
import { X, CalendarClock, FlaskConical, Pencil, Play, Trash2 } from "lucide-react"
import { useState, type ReactNode } from "react"
import { Link } from "wouter"
import type { Automation, Cause, Run } from "../../../shared/contract/automations.ts"
import { useAssistants } from "../../data/assistants.ts"
import { cancelRun, useRuns, runAutomation, useAutomation } from "../../data/automations.ts"
import { useFile } from "../../data/folders/files.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { formatList } from "../../lib/words/format.ts"
import { triggerWords } from "../../lib/words/schedule-words.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button, IconButton, ButtonLink } from "../../ui/controls/Button.tsx"
import { Facts } from "../../ui/controls/Sections.tsx"
import { DeleteDialog, EnabledSwitch } from "./AutomationActions.tsx"
import { RunState, causeWords, momentWords } from "./RunDescription.tsx"
import { TryDialog } from "./TryDialog.tsx"
import { showError } from "../../lib/toasts.ts"

/** An automation's runs, newest first, one page at a time. */
function Runs({ automation }: { automation: Automation }) {
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
          onClick={() => void cancelRun(run.id).catch(showError)}
        >
          <X aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

interface AutomationLoaderProps {
  id: string
  children: (automation: Automation) => ReactNode
}

/** Renders its children for an automation when it is loaded, or a message if it doesn't exist. */
export function AutomationLoader({ id, children }: AutomationLoaderProps) {
  const { automation, error } = useAutomation(id)
  if (automation) return children(automation)
  if (automation === null)
    return (
      <section className="flex min-w-0 flex-1 flex-col">
        <PageHeader title={t("frame:notFound.name")} />
        <EmptyState
          icon={CalendarClock}
          title={t("automations:missing")}
          action={<ButtonLink href={routes.work}>{t("automations:all")}</ButtonLink>}
        >
          {t("automations:missingText")}
        </EmptyState>
      </section>
    )
  return (
    <div className="m-auto max-w-md p-6 text-faint">
      {error ? <Note kind="error">{describeError(error)}</Note> : <Spinner label={t("common:loading")} />}
    </div>
  )
}

/** One automation: what it does, and each of its runs. */
export const AutomationPage = ({ id }: { id: string }) => (
  <AutomationLoader id={id}>{(automation) => <Shown automation={automation} />}</AutomationLoader>
)

function Shown({ automation }: { automation: Automation }) {
  const { id, name, problem, watch } = automation
  const [open, setOpen] = useState<"try" | "delete">()
  const close = () => setOpen(undefined)
  const label = "@max-xl:sr-only"
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name}>
        <EnabledSwitch automation={automation} />
        <ButtonLink variant="quiet" href={workRoutes.editor(id)} title={t("automations:edit")}>
          <Pencil aria-hidden /> <span className={label}>{t("automations:edit")}</span>
        </ButtonLink>
        {!watch && (
          <Button title={t("automations:try.open")} onClick={() => setOpen("try")}>
            <FlaskConical aria-hidden /> <span className={label}>{t("automations:try.open")}</span>
          </Button>
        )}
        <Button
          variant="primary"
          title={t("automations:runNow")}
          onClick={() => void runAutomation(id).catch(showError)}
        >
          <Play aria-hidden /> <span className={label}>{t("automations:runNow")}</span>
        </Button>
        <IconButton label={t("automations:delete")} onClick={() => setOpen("delete")}>
          <Trash2 aria-hidden />
        </IconButton>
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-2xl flex-col gap-6 px-6 py-5">
          {problem && <Note kind="warning">{toPageLanguage(problem.error, problem.sentence)}</Note>}
          <AutomationDetails automation={automation} />
          <Runs automation={automation} />
        </div>
      </div>
      {open === "try" && <TryDialog automation={automation} onClose={close} />}
      <DeleteDialog automation={automation} open={open === "delete"} onClose={close} />
    </section>
  )
}

function AutomationDetails({ automation }: { automation: Automation }) {
  const { trigger, nextRunAt, assistantId, vectorIds, prompt, watch, notify } = automation
  const { data: folders = [] } = useFolders()
  const { data: assistants = [] } = useAssistants()
  const folderName = (id: string) => folders.find((folder) => folder.id === id)?.name
  const assistant = assistants.find(({ id }) => id === assistantId)
  const names = vectorIds.map((id) => folderName(id) ?? t("automations:when.goneFolder"))
  const rows: [string, string][] = [[t("automations:field.trigger"), triggerWords(trigger, folderName)]]
  if (nextRunAt !== null) rows.push([t("automations:nextRun"), momentWords(nextRunAt)])
  if (!watch) rows.push([t("automations:field.assistant"), assistant?.name ?? t("automations:noAssistant")])
  if (names.length > 0) rows.push([t("automations:field.folders"), formatList(names)])
  rows.push([t("automations:field.notify"), t(`automations:notify.${notify}`)])
  return (
    <section aria-label={t("automations:whatItDoes")} className="flex flex-col gap-3">
      <Facts rows={rows} />
      <div>
        <h2 className="mb-1 text-sm font-medium">
          {t(watch ? "automations:field.question" : "automations:field.prompt")}
        </h2>
        <p className="max-h-40 overflow-y-auto rounded-lg bg-well px-3 py-2 text-sm break-words whitespace-pre-wrap">
          {prompt}
        </p>
      </div>
    </section>
  )
}

import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { Calendar, CalendarClock, CirclePause, CirclePlay, History, List, Plus } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { switchAutomations, useAutomations } from "../../data/automations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { useRemembered } from "../../lib/remembered.ts"
import { triggerWords } from "../../lib/words/schedule-words.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { VirtualList } from "../../ui/VirtualList.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button, ButtonLink } from "../../ui/controls/Button.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { AutomationMenu, EnabledSwitch } from "./AutomationActions.tsx"
import { MonthView } from "./MonthView.tsx"
import { RunState, momentWords } from "./RunDescription.tsx"
import { triggerIcons } from "./TriggerFields.tsx"
import { getTemplateKind, templateNames } from "./automation-form.ts"
import { showError } from "../../lib/toasts.ts"

/** Templates to choose from. Nothing is created until it is saved. */
function TemplateList() {
  return (
    <ul aria-label={t("automations:beginnings")} className="grid gap-2">
      {templateNames.map((name) => {
        const Icon = triggerIcons[getTemplateKind(name)]
        return (
          <li key={name}>
            <Link
              href={workRoutes.newWith("template", name)}
              className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 transition-colors hover:border-line-strong hover:bg-hover"
            >
              <Icon className="size-4 shrink-0 text-soft" aria-hidden />
              <span className="min-w-0">
                <span className="block text-sm font-medium">{t(`automations:template.${name}.name`)}</span>
                <span className="block text-xs text-faint">{t(`automations:template.${name}.text`)}</span>
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

/** An automation in the list: its trigger, next run and last result. */
function AutomationRow({ automation }: { automation: Automation }) {
  const { id, name, enabled, trigger, nextRunAt, problem } = automation
  const { data: folders = [] } = useFolders()
  const Icon = triggerIcons[trigger.kind]
  const words = triggerWords(trigger, (folderId) => folders.find((one) => one.id === folderId)?.name)
  const next = nextRunAt === null ? words : t("automations:next", { words, moment: momentWords(nextRunAt) })
  return (
    <div className="flex h-full items-center gap-3 rounded-lg px-3 transition-colors hover:bg-hover">
      <Icon className="size-4 shrink-0 text-soft" aria-hidden />
      <Link href={workRoutes.one(id)} className="min-w-0 flex-1 rounded-sm py-1">
        <span className={classNames("block truncate font-medium", !enabled && "text-soft")} title={name}>
          {name}
        </span>
        <span className="block truncate text-xs text-faint" title={next}>
          {next}
        </span>
        {problem && (
          <span className="block truncate text-xs leading-5 text-danger" title={problem.error}>
            {toPageLanguage(problem.error, problem.sentence)}
          </span>
        )}
      </Link>
      <LastRun automation={automation} />
      <EnabledSwitch automation={automation} />
      <AutomationMenu automation={automation} />
    </div>
  )
}

const badgeClass = "inline-flex shrink-0 items-center gap-1.5 px-1 text-xs"

/** The state of the latest run, with a link to its chat. */
function LastRun({ automation: { name, lastRun } }: { automation: Automation }) {
  if (!lastRun)
    return <span className={classNames(badgeClass, "text-faint")}>{t("automations:neverRan")}</span>
  const { status, chatId, startedAt } = lastRun
  const state = (
    <>
      <RunState status={status} />
      {startedAt !== null && <span className="text-faint">{momentWords(startedAt)}</span>}
    </>
  )
  if (chatId === null) return <span className={badgeClass}>{state}</span>
  return (
    <Link
      href={routes.chat(chatId)}
      title={t("automations:openChat")}
      className={classNames(badgeClass, "rounded hover:underline")}
    >
      <span className="sr-only">{t("automations:lastRun", { name })}</span>
      {state}
    </Link>
  )
}

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

interface Pause {
  /** Whether `change` switches all automations off; otherwise it switches those back on. */
  pausing: boolean
  busy: boolean
  /** Undefined if there is nothing to switch. */
  change: (() => void) | undefined
}

/** Switches all enabled automations off, and later back on. Which ones they were is stored on this computer. */
function usePause(automations: readonly Automation[]): Pause {
  const [paused, setPaused] = useRemembered<string[]>("paused-automations", [], isIds)
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ ids, on }: { ids: string[]; on: boolean }) => switchAutomations(ids, on),
    onError: showError,
  })
  const running = automations.filter(({ enabled }) => enabled).map(({ id }) => id)
  const resting = automations.filter(({ id, enabled }) => !enabled && paused.includes(id)).map(({ id }) => id)
  const pausing = isPending ? !variables.on : running.length > 0
  function pause() {
    setPaused(running)
    mutate({ ids: running, on: false })
  }
  const change = () => (running.length > 0 ? pause() : mutate({ ids: resting, on: true }))
  return { pausing, busy: isPending, change: running.length + resting.length > 0 ? change : undefined }
}

const rowHeight = 56
const problemHeight = 20
const searchFrom = 8

/** Sort order: automations that wait for the user first, then those the box switched off. */
const urgency = ({ lastRun, problem }: Automation): number =>
  lastRun?.status === "waiting" ? 0 : problem ? 1 : 2

/** All automations, as a list or as a calendar of this month. */
export function WorkPage({ isMonthView }: { isMonthView: boolean }) {
  const { data: automations, error } = useAutomations()
  const [search, setSearch] = useState("")
  const pause = usePause(automations ?? [])
  const wanted = search.trim().toLowerCase()
  const shown = (automations ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => urgency(a) - urgency(b))
  const has = automations !== undefined && automations.length > 0
  return (
    <section aria-label={t("areas:work.name")} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("areas:work.name")}>
        {has && (
          <ButtonLink
            variant="quiet"
            href={isMonthView ? routes.work : workRoutes.month}
            title={t(isMonthView ? "automations:asList" : "automations:asMonth")}
          >
            {isMonthView ? <List aria-hidden /> : <Calendar aria-hidden />}
            <span className="@max-xl:sr-only">
              {t(isMonthView ? "automations:asList" : "automations:asMonth")}
            </span>
          </ButtonLink>
        )}
        {has && pause.change && (
          <Button
            variant="quiet"
            busy={pause.busy}
            title={t(pause.pausing ? "automations:pauseAll" : "automations:resume")}
            onClick={pause.change}
          >
            {pause.pausing ? <CirclePause aria-hidden /> : <CirclePlay aria-hidden />}
            <span className="@max-xl:sr-only">
              {t(pause.pausing ? "automations:pauseAll" : "automations:resume")}
            </span>
          </Button>
        )}
        {has && (
          <ButtonLink variant="quiet" href={workRoutes.filed} title={t("filing:changes")}>
            <History aria-hidden />
            <span className="@max-xl:sr-only">{t("filing:changes")}</span>
          </ButtonLink>
        )}
        <ButtonLink variant="primary" href={workRoutes.new}>
          <Plus aria-hidden /> {t("automations:new")}
        </ButtonLink>
      </PageHeader>
      {error && (
        <div className="p-4">
          <Note kind="error">{describeError(error)}</Note>
        </div>
      )}
      {automations?.length === 0 && <NothingYet />}
      {has && isMonthView && <MonthView automations={automations} />}
      {!isMonthView && automations && automations.length >= searchFrom && (
        <div className="px-4 pt-3">
          <SearchField label={t("automations:find")} value={search} onChange={setSearch} />
        </div>
      )}
      {has && !isMonthView && shown.length === 0 && (
        <p className="px-5 py-3 text-sm text-soft">{t("automations:noneFound")}</p>
      )}
      {!isMonthView && shown.length > 0 && (
        <VirtualList
          label={t("automations:title")}
          items={shown}
          getId={({ id }) => id}
          getHeight={({ problem }) => rowHeight + (problem ? problemHeight : 0)}
          className="min-h-0 flex-1 overflow-y-auto p-2"
        >
          {(automation) => <AutomationRow automation={automation} />}
        </VirtualList>
      )}
    </section>
  )
}

function NothingYet() {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-2xl px-6 py-10">
        <div className="mb-6 flex flex-col items-center text-center text-balance">
          <span className="mb-4 flex size-10 items-center justify-center rounded-xl border border-line bg-well text-soft">
            <CalendarClock className="size-5" strokeWidth={1.75} aria-hidden />
          </span>
          <h2 className="font-medium">{t("automations:none")}</h2>
          <p className="mt-1 max-w-md text-sm text-soft">{t("automations:what")}</p>
        </div>
        <TemplateList />
      </div>
    </div>
  )
}

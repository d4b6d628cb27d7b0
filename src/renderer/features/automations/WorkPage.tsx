import { t } from "i18next"
import { Calendar, CalendarClock, CirclePause, CirclePlay, History, List, Plus } from "lucide-react"
import { useState } from "react"
import type { Automation } from "../../../shared/contract/automations.ts"
import { useAutomations } from "../../data/automations.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { Button, ButtonLink } from "../../ui/controls/Button.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { VirtualList } from "../../ui/VirtualList.tsx"
import { AutomationRow } from "./AutomationRow.tsx"
import { TemplateList } from "./TemplateList.tsx"
import { MonthView } from "./MonthView.tsx"
import { usePause } from "./use-pause.ts"

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

import { t } from "i18next"
import { CalendarClock, FlaskConical, Pencil, Play, Trash2 } from "lucide-react"
import { useState, type ReactNode } from "react"
import type { Automation } from "../../../shared/contract/automations.ts"
import { useAssistants } from "../../data/assistants.ts"
import { runAutomation, useAutomation } from "../../data/automations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { formatList } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Button, ButtonLink, IconButton } from "../../ui/controls/Button.tsx"
import { Facts } from "../../ui/controls/Sections.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { DeleteDialog } from "./DeleteDialog.tsx"
import { EnabledSwitch } from "./EnabledSwitch.tsx"
import { showFailure } from "./run-now.ts"
import { Runs } from "./Runs.tsx"
import { triggerWords } from "../../lib/words/schedule-words.ts"
import { momentWords } from "./run-words.ts"
import { TryDialog } from "./TryDialog.tsx"

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
          onClick={() => void runAutomation(id).catch(showFailure)}
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

import { t } from "i18next"
import { Link } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { classNames } from "../../ui/class-names.ts"
import { AutomationMenu } from "./AutomationMenu.tsx"
import { EnabledSwitch } from "./EnabledSwitch.tsx"
import { RunState } from "./RunState.tsx"
import { triggerIcons } from "./trigger-icons.ts"
import { triggerWords } from "../../lib/words/schedule-words.ts"
import { momentWords } from "./run-words.ts"

/** An automation in the list: its trigger, next run and last result. */
export function AutomationRow({ automation }: { automation: Automation }) {
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

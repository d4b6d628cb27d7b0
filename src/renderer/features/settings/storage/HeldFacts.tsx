import { t } from "i18next"
import { TriangleAlert } from "lucide-react"
import type { HeldItem } from "../../../../shared/contract/storage.ts"
import { parseServerModelId } from "../../../../shared/contract/server-model-id.ts"
import type { Tool } from "../../../../shared/contract/tools.ts"
import { useTools } from "../../../data/assistants.ts"
import { formatList } from "../../../lib/words/format.ts"
import { wording } from "../../../lib/words/tool-wording.ts"
import { triggerWords } from "../../../lib/words/schedule-words.ts"
import { visibleText } from "../../../lib/words/visible-text.ts"
import { LongText } from "../../../ui/text/LongText.tsx"
import { scopeName } from "../key-scopes.ts"

interface Fact {
  text: string
  /** Whether it extends access or permissions, or hides that something was done. */
  isRisk?: boolean
}

/** When a held item runs, what it can access, and who sees its results. */
export function HeldFacts({ item }: { item: HeldItem }) {
  const { data: tools = [] } = useTools()
  const facts = [
    ...automationFacts(item, tools),
    ...folderFacts(item),
    ...keyFacts(item),
    ...serverFacts(item),
  ]
  const instructions = item.automation?.assistant?.instructions ?? ""
  return (
    <>
      {facts.length > 0 && <FactList facts={facts} />}
      {instructions !== "" && (
        <>
          <p className="mt-2 text-soft">{t("settings:storage.held.instructions")}</p>
          <HeldText text={instructions} />
        </>
      )}
    </>
  )
}

/** A held item's text of any length, unchanged. */
export const HeldText = ({ text }: { text: string }) => (
  <code
    dir="ltr"
    className="mt-1 block max-h-40 overflow-y-auto rounded-md bg-well px-2 py-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
  >
    <LongText text={visibleText(text)} />
  </code>
)

function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <ul className="mt-2 flex flex-col gap-1 text-soft">
      {facts.map(({ text, isRisk = false }) => (
        <li key={text} className="wrap-anywhere">
          {isRisk ? (
            <span className="flex items-start gap-1.5 text-ink">
              <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
              {text}
            </span>
          ) : (
            text
          )}
        </li>
      ))}
    </ul>
  )
}

const gone = (): string => t("settings:storage.held.gone")

function automationFacts({ automation, trigger }: HeldItem, known: readonly Tool[]): Fact[] {
  if (automation === undefined) return []
  const { assistant, folders, triggerFolder, model, notify, budget } = automation
  const facts: Fact[] = []
  // The webhook's text already names the trigger.
  if (trigger !== null && trigger.kind !== "hook") {
    const when =
      trigger.kind === "manual"
        ? t("settings:storage.held.byHand")
        : triggerWords(trigger, () => triggerFolder?.name ?? undefined)
    facts.push({ text: visibleText(when) })
  }
  if (assistant !== null) {
    const name = assistant.name ?? gone()
    facts.push({ text: t("settings:storage.held.assistant", { name: visibleText(name) }) })
    if (assistant.tools.length > 0) {
      const names = assistant.tools.map((key) => {
        const tool = known.find((each) => each.key === key)
        return visibleText(tool ? wording(tool).name : key)
      })
      facts.push({ text: t("settings:storage.held.assistantTools", { names: formatList(names) }) })
    }
    if (assistant.bypassesApprovals) facts.push({ text: t("settings:storage.held.bypass"), isRisk: true })
  }
  if (folders.length > 0) {
    const names = folders.map(({ name }) =>
      name === null ? t("settings:storage.held.goneFolder") : `“${visibleText(name)}”`,
    )
    const count = folders.length
    facts.push({ text: t("settings:storage.held.folders", { count, names: formatList(names) }) })
  }
  if (model !== null) {
    const name = model.name ?? `${parseServerModelId(model.id)?.name ?? model.id} (${gone()})`
    facts.push({ text: t("settings:storage.held.model", { name: visibleText(name) }) })
  }
  const { minutes, runsPerDay: runs } = budget
  facts.push({ text: t("settings:storage.held.budget", { minutes, runs }) })
  if (notify === "never") facts.push({ text: t("settings:storage.held.silent"), isRisk: true })
  return facts
}

function folderFacts({ visibility }: HeldItem): Fact[] {
  if (visibility === undefined) return []
  return [{ text: t(`settings:storage.held.visibility.${visibility}`), isRisk: visibility !== "PRIVATE" }]
}

function keyFacts({ scopes }: HeldItem): Fact[] {
  if (scopes === undefined) return []
  const rights = scopes === null ? t("settings:keys.fullRights") : formatList(scopes.map(scopeName))
  return [{ text: t("settings:storage.held.rights", { rights }), isRisk: scopes === null }]
}

function serverFacts({ toolCount }: HeldItem): Fact[] {
  return toolCount === undefined ? [] : [{ text: t("settings:storage.held.tools", { count: toolCount }) }]
}

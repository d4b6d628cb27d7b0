import { t } from "i18next"
import {
  TriangleAlert,
  Bot,
  FolderOpen,
  Globe,
  KeyRound,
  Plug,
  Settings2,
  SquareTerminal,
  UserRound,
  Webhook,
  type LucideIcon,
} from "lucide-react"
import { useState } from "react"
import { parseServerModelId } from "../../../../shared/contract/server-model-id.ts"
import type { HeldAutomation, HeldItem } from "../../../../shared/contract/storage.ts"
import type { Tool } from "../../../../shared/contract/tools.ts"
import { useTools } from "../../../data/assistants.ts"
import { showError } from "../../../lib/toasts.ts"
import { formatList } from "../../../lib/words/format.ts"
import { triggerWords } from "../../../lib/words/schedule-words.ts"
import { wording } from "../../../lib/words/tool-wording.ts"
import { visibleText } from "../../../lib/words/visible-text.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { LongText } from "../../../ui/text/LongText.tsx"
import { scopeName } from "../keys.ts"
import { useDecideHeldItems, useHeldItems } from "./storage.ts"

interface Fact {
  text: string
  /** Whether it extends access or permissions, or hides that something was done. */
  isRisk?: boolean
}

/** When a held item runs, what it can access, and who sees its results. */
function HeldFacts({ item }: { item: HeldItem }) {
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
const HeldText = ({ text }: { text: string }) => (
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

const goneText = (): string => t("settings:storage.held.gone")

const listFolders = (folders: HeldAutomation["folders"]): string =>
  formatList(
    folders.map(({ name }) =>
      name === null ? t("settings:storage.held.goneFolder") : t("search:quoted", { text: visibleText(name) }),
    ),
  )

const listTools = (keys: readonly string[], known: readonly Tool[]): string =>
  formatList(
    keys.map((key) => {
      const tool = known.find((each) => each.key === key)
      return visibleText(tool ? wording(tool).name : key)
    }),
  )

/** Lists the folders and tools of the assistants to which an automation's assistant may give tasks. */
function delegateFacts({ delegates = [] }: HeldAutomation, known: readonly Tool[]): Fact[] {
  if (delegates.length === 0) return []
  const facts = delegates.flatMap(({ name: given, folders, tools, bypassesApprovals }): Fact[] => {
    const name = visibleText(given ?? goneText())
    const count = folders.length
    const reach =
      count === 0
        ? t("settings:storage.held.delegate", { name })
        : t("settings:storage.held.delegateFolders", { name, count, names: listFolders(folders) })
    const use = t("settings:storage.held.delegateTools", { name, names: listTools(tools, known) })
    return [
      { text: reach },
      ...(tools.length > 0 ? [{ text: use }] : []),
      ...(bypassesApprovals
        ? [{ text: t("settings:storage.held.delegateBypass", { name }), isRisk: true }]
        : []),
    ]
  })
  return [...facts, { text: t("settings:storage.held.delegateInstructions") }]
}

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
    const name = assistant.name ?? goneText()
    facts.push({ text: t("settings:storage.held.assistant", { name: visibleText(name) }) })
    if (assistant.tools.length > 0) {
      const names = listTools(assistant.tools, known)
      facts.push({ text: t("settings:storage.held.assistantTools", { names }) })
    }
    if (assistant.bypassesApprovals) facts.push({ text: t("settings:storage.held.bypass"), isRisk: true })
  }
  if (folders.length > 0) {
    const count = folders.length
    facts.push({ text: t("settings:storage.held.folders", { count, names: listFolders(folders) }) })
  }
  facts.push(...delegateFacts(automation, known))
  if (model !== null) {
    const name = model.name ?? `${parseServerModelId(model.id)?.name ?? model.id} (${goneText()})`
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

function serverFacts({ toolCount, roles = [] }: HeldItem): Fact[] {
  return [
    ...(toolCount === undefined ? [] : [{ text: t("settings:storage.held.tools", { count: toolCount }) }]),
    ...roles.map((role) => ({
      text: t(`settings:storage.held.roles.${role}`),
      isRisk: role === "embedding",
    })),
  ]
}

const kindIcons: Record<HeldItem["kind"], LucideIcon> = {
  program: SquareTerminal,
  mcp_server: Plug,
  model_server: Globe,
  folder: FolderOpen,
  automation: Bot,
  webhook: Webhook,
  setting: Settings2,
  api_key: KeyRound,
  owner: UserRound,
}

/** Items that were on in a restored backup. An owner sees what each would do, and turns it on or leaves it off. */
export function HeldGroup() {
  const { data: items } = useHeldItems()
  if (items === undefined || items.length === 0) return null
  return (
    <SettingsGroup
      title={t("settings:storage.held.title")}
      description={t("settings:storage.held.description")}
    >
      <ul
        aria-label={t("settings:storage.held.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {items.map((item) => (
          <HeldRow key={`${item.kind} ${item.id}`} item={item} />
        ))}
      </ul>
    </SettingsGroup>
  )
}

function HeldRow({ item }: { item: HeldItem }) {
  const { kind, person, does } = item
  const [isDiscarding, setDiscarding] = useState(false)
  const [enteredKey, setEnteredKey] = useState("")
  const decide = useDecideHeldItems()
  const Icon = kindIcons[kind]
  const name = getName(item)
  const isNetwork = kind === "setting" && item.name === "networkAccess"
  const owner = person === "" ? t("settings:storage.held.unknownPerson") : person && visibleText(person)
  const about = [t(`settings:storage.held.kind.${kind}`), owner].filter((part) => part !== null)
  const isKey = kind === "api_key"
  const isConfirmed = isKey || kind === "owner"
  const send = (decision: "turn_on" | "keep_off") =>
    decide.mutate(
      { item, decision, ...(isKey && decision === "turn_on" && { key: enteredKey.trim() }) },
      { onError: showError },
    )
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-3 py-3 text-sm">
      <Icon className="mt-0.5 size-4 shrink-0 text-soft" aria-hidden />
      <div className="min-w-0 flex-[1_1_16rem]">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="text-xs text-faint">{about.join(" · ")}</p>
        <p className="mt-1.5 text-soft">
          {t(`settings:storage.held.does.${isNetwork ? "networkAccess" : kind}`)}
        </p>
        {does !== "" && !isNetwork && <HeldText text={does} />}
        <HeldFacts item={item} />
        {isKey && (
          <div className="mt-3">
            <TextField
              label={t("settings:storage.held.wholeKey")}
              type="password"
              value={enteredKey}
              maxLength={256}
              onChange={(event) => setEnteredKey(event.target.value)}
            />
          </div>
        )}
      </div>
      <div className="ml-auto flex gap-2">
        <Button
          variant="quiet"
          disabled={decide.isPending}
          aria-label={t(isKey ? "settings:keys.revokeNamed" : "settings:storage.held.keepOffOne", { name })}
          onClick={() => setDiscarding(true)}
        >
          {t(isKey ? "settings:keys.revoke" : "settings:storage.held.keepOff")}
        </Button>
        <Button
          busy={decide.isPending}
          disabled={isKey && enteredKey.trim() === ""}
          aria-label={t(`settings:storage.held.${isConfirmed ? "confirmOne" : "turnOnOne"}`, { name })}
          onClick={() => send("turn_on")}
        >
          {t(`settings:storage.held.${isConfirmed ? "confirm" : "turnOn"}`)}
        </Button>
      </div>
      <ConfirmDialog
        open={isDiscarding}
        onClose={() => setDiscarding(false)}
        onConfirm={() => send("keep_off")}
        title={t(isKey ? "settings:keys.revokeTitle" : "settings:storage.held.keepOffTitle", { name })}
        description={t(
          kind === "api_key"
            ? "settings:keys.revokeDescription"
            : `settings:storage.held.keepOffText.${kind}`,
        )}
        confirmLabel={t(isKey ? "settings:keys.revoke" : "settings:storage.held.keepOff")}
      />
    </li>
  )
}

const settingNames = [
  "networkAccess",
  "allowedHosts",
  "allowedOrigins",
  "allowedPrivateHosts",
  "webSearch",
  "modelMirror",
  "localOnlyPrograms",
] as const

function getName({ kind, name }: HeldItem): string {
  const setting = kind === "setting" && settingNames.find((one) => one === name)
  return setting ? t(`settings:storage.held.setting.${setting}`) : visibleText(name)
}

import { t } from "i18next"
import {
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
import type { HeldItem } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { visibleText } from "../../../lib/words/visible-text.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { HeldFacts, HeldText } from "./HeldFacts.tsx"
import { useDecideHeldItems, useHeldItems } from "./storage.ts"

const icons: Record<HeldItem["kind"], LucideIcon> = {
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
  const decide = useDecideHeldItems()
  const Icon = icons[kind]
  const name = getName(item)
  const isNetwork = kind === "setting" && item.name === "networkAccess"
  const owner = person === "" ? t("settings:storage.held.unknownPerson") : person && visibleText(person)
  const about = [t(`settings:storage.held.kind.${kind}`), owner].filter((part) => part !== null)
  const isKey = kind === "api_key"
  const isConfirmed = isKey || kind === "owner"
  const send = (decision: "turn_on" | "keep_off") =>
    decide.mutate({ item, decision }, { onError: (error) => showToast(describeError(error), "error") })
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

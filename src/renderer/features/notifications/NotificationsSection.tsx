import { Bell } from "lucide-react"
import { t } from "i18next"
import { useId, type ReactNode } from "react"
import { categories, Category } from "../../../shared/contract/notifications.ts"
import { useChangeSettings, useSettings } from "../../data/settings.ts"
import { describeError } from "../../lib/box.ts"
import { usePopupPermission } from "../../lib/browser/os-popups.ts"
import { useQuietMode } from "../../lib/quiet-mode.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { NamedIcon } from "../../ui/pictures/NamedIcon.tsx"
import { showError } from "../../lib/toasts.ts"

/** How notifications may appear on this computer, and which categories are shown. */
export function NotificationsSection() {
  const [quiet, setQuiet] = useQuietMode()
  return (
    <>
      <SettingsGroup title={t("settings:notifications.here")}>
        <Rows>
          <SwitchRow
            name={t("notifications:doNotDisturb")}
            hint={t("settings:notifications.doNotDisturbHint")}
            checked={quiet}
            onChange={setQuiet}
          />
          <PopupRow />
        </Rows>
      </SettingsGroup>
      <CategoriesGroup />
    </>
  )
}

function PopupRow() {
  const [permission, ask] = usePopupPermission()
  const states = {
    granted: t("settings:notifications.popups.granted"),
    denied: t("settings:notifications.popups.denied"),
    default: t("settings:notifications.popups.default"),
    unsupported: t("settings:notifications.popups.unsupported"),
  }
  return (
    <Row name={t("settings:notifications.popups.title")} hint={t("settings:notifications.popups.hint")}>
      {permission === "default" ? (
        <Button onClick={ask}>{t("settings:notifications.popups.allow")}</Button>
      ) : (
        <span className="max-w-56 text-right text-sm text-soft">{states[permission]}</span>
      )}
    </Row>
  )
}

function CategoriesGroup() {
  const { data: settings, error } = useSettings()
  const change = useChangeSettings()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!settings) return null
  const muted = (change.isPending && change.variables.mutedCategories) || settings.mutedCategories

  const show = (category: Category, shown: boolean) => {
    const others = muted.filter((other) => other !== category)
    change.mutate({ mutedCategories: shown ? others : [...others, category] }, { onError: showError })
  }
  return (
    <SettingsGroup
      title={t("notifications:categoriesTitle")}
      description={t("settings:notifications.categoriesHint")}
    >
      <Rows>
        {Category.options.map((category) => {
          const { icon, mutable } = categories[category]
          return (
            <SwitchRow
              key={category}
              name={t(`notifications:categories.${category}`)}
              icon={<NamedIcon name={icon} fallback={Bell} className="size-4" />}
              {...(mutable ? {} : { hint: t("settings:notifications.alwaysShown") })}
              checked={!muted.includes(category)}
              disabled={!mutable || change.isPending}
              onChange={(shown) => show(category, shown)}
            />
          )
        })}
      </Rows>
    </SettingsGroup>
  )
}

const Rows = ({ children }: { children: ReactNode }) => (
  <div className="divide-y divide-line rounded-lg border border-line">{children}</div>
)

interface RowProps {
  name: string
  nameId?: string
  hint?: string
  icon?: ReactNode
  children: ReactNode
}

function Row({ name, nameId, hint, icon, children }: RowProps) {
  return (
    <div className="flex min-h-11 items-center gap-3 px-3 py-2 text-sm">
      {icon !== undefined && <span className="text-soft">{icon}</span>}
      <div className="min-w-0 flex-1">
        <div id={nameId}>{name}</div>
        {hint !== undefined && <div className="text-xs text-faint">{hint}</div>}
      </div>
      {children}
    </div>
  )
}

interface SwitchRowProps extends Omit<RowProps, "children" | "nameId"> {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

function SwitchRow({ checked, disabled = false, onChange, ...row }: SwitchRowProps) {
  const id = useId()
  return (
    <Row {...row} nameId={id}>
      <Switch aria-labelledby={id} checked={checked} disabled={disabled} onCheckedChange={onChange} />
    </Row>
  )
}

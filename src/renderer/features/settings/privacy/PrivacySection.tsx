import { t } from "i18next"
import { X, Check, Minus } from "lucide-react"
import { useId } from "react"
import { SandboxLayer } from "../../../../shared/contract/privacy.ts"
import type { Settings } from "../../../../shared/contract/settings.ts"
import { useChildSandboxes } from "../../../data/privacy.ts"
import { useOwner } from "../../../data/session.ts"
import { useChangeSettings, useForgetPrivateHost, useSettings } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { showError } from "../../../lib/toasts.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import { ConnectionsGroup } from "./ConnectionsGroup.tsx"

/** The switch that keeps everything on this computer. */
function LocalOnlyGroup({ settings }: { settings: Settings }) {
  const { localOnly, localOnlyPrograms, localOnlyDecidedBy } = settings
  const owner = useOwner()
  const change = useChangeSettings()
  const decided = localOnlyDecidedBy === "start"
  const disabled = !owner || decided || change.isPending
  return (
    <SettingsGroup title={t("privacy:localOnly.title")} description={t("privacy:localOnly.description")}>
      <div className="divide-y divide-line rounded-lg border border-line">
        <SwitchRow
          name={t("privacy:localOnly.switch")}
          hint={t("privacy:localOnly.hint")}
          checked={localOnly}
          disabled={disabled}
          onChange={(on) => change.mutate({ localOnly: on })}
        />
        {localOnly && (
          <SwitchRow
            name={t("privacy:localOnly.programs")}
            hint={t("privacy:localOnly.programsHint")}
            checked={localOnlyPrograms}
            disabled={disabled}
            onChange={(on) => change.mutate({ localOnlyPrograms: on })}
          />
        )}
      </div>
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        {change.error && <Note kind="error">{describeError(change.error)}</Note>}
        {decided && <Note>{t("privacy:localOnly.decided", { flag: "--local-only" })}</Note>}
        {!owner && <Note kind="quiet">{t("privacy:localOnly.ownersOnly")}</Note>}
      </div>
    </SettingsGroup>
  )
}

interface SwitchRowProps {
  name: string
  hint: string
  checked: boolean
  disabled: boolean
  onChange: (checked: boolean) => void
}

function SwitchRow({ name, hint, checked, disabled, onChange }: SwitchRowProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-4 px-3 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <label htmlFor={id}>{name}</label>
        <p id={`${id}-hint`} className="mt-0.5 text-xs text-soft">
          {hint}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
      />
    </div>
  )
}

/** Hosts in the owner's private network whose web pages may be fetched, each until it is removed from the list. */
function OwnHostsGroup({ hosts }: { hosts: readonly string[] }) {
  const forget = useForgetPrivateHost()
  return (
    <SettingsGroup title={t("privacy:ownHosts.title")} description={t("privacy:ownHosts.description")}>
      <ul
        aria-label={t("privacy:ownHosts.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {hosts.map((host) => (
          <li key={host} className="flex items-center gap-3 px-3 py-1.5 text-sm">
            <span className="min-w-0 flex-1 break-all">{host}</span>
            <IconButton
              label={t("privacy:ownHosts.remove", { host })}
              onClick={() => forget.mutate(host, { onError: showError })}
            >
              <X aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
    </SettingsGroup>
  )
}

/** The sandbox layers around the programs that read untrusted files. */
function SandboxGroup() {
  const { data, error } = useChildSandboxes()
  const reasons = new Set(data?.children.flatMap(({ walls }) => walls.flatMap(({ reason }) => reason ?? [])))
  return (
    <SettingsGroup title={t("privacy:walls.title")} description={t("privacy:walls.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {data && (
        <dl className="divide-y divide-line rounded-lg border border-line text-sm">
          {SandboxLayer.options.map((layer) => (
            <div key={layer} className="px-3 py-2.5">
              <dt>{t(`privacy:walls.wall.${layer}`)}</dt>
              <dd className="mt-1.5">
                <ul className="flex flex-wrap gap-x-4 gap-y-1">
                  {data.children.map(({ child, walls }) => (
                    <Program
                      key={child}
                      name={t(`privacy:walls.child.${child}`)}
                      stands={walls.some((one) => one.wall === layer && one.stands)}
                    />
                  ))}
                </ul>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        {[...reasons].map((reason) => (
          <Note key={reason} kind="quiet">
            {t(`privacy:walls.reason.${reason}`)}
          </Note>
        ))}
      </div>
    </SettingsGroup>
  )
}

/** Whether a sandbox layer is active for a program. */
function Program({ name, stands }: { name: string; stands: boolean }) {
  const Icon = stands ? Check : Minus
  return (
    <li className="flex items-center gap-1.5 text-soft">
      <Icon aria-hidden className={stands ? "size-4 text-accent" : "size-4"} />
      {name}
      <span className={stands ? "sr-only" : "text-faint"}>
        {t(stands ? "privacy:walls.stands" : "privacy:walls.missing")}
      </span>
    </li>
  )
}

/** Whether anything may leave this computer, and what has left it. */
export function PrivacySection() {
  const owner = useOwner()
  const { data: settings, error } = useSettings()
  return (
    <>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {!settings && !error && <Spinner label={t("common:loading")} />}
      {settings && <LocalOnlyGroup settings={settings} />}
      {owner && settings && settings.allowedPrivateHosts.length > 0 && (
        <OwnHostsGroup hosts={settings.allowedPrivateHosts} />
      )}
      {owner && <SandboxGroup />}
      <ConnectionsGroup />
    </>
  )
}

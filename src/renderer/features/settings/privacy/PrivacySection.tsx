import { t } from "i18next"
import { useSettings } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { ConnectionsGroup } from "./ConnectionsGroup.tsx"
import { useOwner } from "../../../data/session.ts"
import { LocalOnlyGroup } from "./LocalOnlyGroup.tsx"
import { OwnHostsGroup } from "./OwnHostsGroup.tsx"
import { SandboxGroup } from "./SandboxGroup.tsx"

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

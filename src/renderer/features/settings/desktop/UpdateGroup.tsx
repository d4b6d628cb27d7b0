import { t } from "i18next"
import type { UpdateState } from "../../../../shared/ipc.ts"
import { formatPercent } from "../../../lib/words/format.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { useUpdateState } from "./desktop-options.ts"

/** Shows whether there is a newer version and offers to install it. Nothing is downloaded until the user agrees. */
export function UpdateGroup() {
  const state = useUpdateState()
  return (
    <SettingsGroup title={t("settings:desktop.updates")}>
      <div className="flex items-center gap-4">
        <output className="min-w-0 flex-1 text-sm text-soft">{describe(state)}</output>
        <UpdateAction state={state} />
      </div>
    </SettingsGroup>
  )
}

function UpdateAction({ state }: { state: UpdateState }) {
  const shell = shellBridge()
  if (!shell || state.status === "off") return null
  if (state.status === "available" || state.status === "ready") {
    return (
      <Button onClick={() => void shell.installUpdate()}>
        {state.status === "ready"
          ? t("settings:desktop.update.restart")
          : t("settings:desktop.update.download")}
      </Button>
    )
  }
  const busy = state.status === "checking" || state.status === "downloading"
  return (
    <Button busy={busy} onClick={() => void shell.checkForUpdates()}>
      {t("settings:desktop.update.check")}
    </Button>
  )
}

function describe(state: UpdateState): string {
  switch (state.status) {
    case "off":
      return t("settings:desktop.update.off")
    case "idle":
      return t("settings:desktop.update.idle")
    case "checking":
      return t("settings:desktop.update.checking")
    case "current":
      return t("settings:desktop.update.current")
    case "available":
      return t("settings:desktop.update.available", { version: state.version })
    case "downloading":
      return t("settings:desktop.update.downloading", {
        version: state.version,
        percent: formatPercent(state.percent / 100),
      })
    case "ready":
      return t("settings:desktop.update.ready", { version: state.version })
    case "failed":
      return t("settings:desktop.update.failed", { message: state.message })
  }
}

import { t } from "i18next"
import { useEffect, useState } from "react"
import type { UpdateState as State } from "../../../../shared/ipc.ts"
import { formatPercent } from "../../../lib/format.ts"
import { shellBridge } from "../../../lib/shell-bridge.ts"
import { Button } from "../../../ui/Button.tsx"
import { CommandLine } from "../../../ui/CommandLine.tsx"
import { Note } from "../../../ui/Note.tsx"

/** Whether there is a newer Casella. Only the desktop program updates itself. */
export function UpdateState() {
  const [state, setState] = useState<State>()
  const shell = shellBridge()
  useEffect(() => {
    void shell?.updateState().then(setState)
    return shell?.on("updateChanged", setState)
  }, [shell])

  if (!shell) {
    return (
      <div className="flex flex-col gap-2 text-sm text-soft">
        <p>{t("settings:update.byHand")}</p>
        <CommandLine command="npm start" />
        <p>{t("settings:update.dataStays")}</p>
      </div>
    )
  }
  if (!state) return null
  if (state.status === "off") return <Note>{t("settings:update.off")}</Note>
  return (
    <div className="flex items-center gap-4 text-sm">
      <output className="min-w-0 flex-1">{describe(state)}</output>
      {(state.status === "available" || state.status === "ready") && (
        <Button variant="primary" onClick={() => void shell.installUpdate().then(setState)}>
          {t(`settings:update.action.${state.status}`)}
        </Button>
      )}
      {["idle", "current", "failed"].includes(state.status) && (
        <Button onClick={() => void shell.checkForUpdates().then(setState)}>
          {t("settings:update.check")}
        </Button>
      )}
    </div>
  )
}

function describe(state: Exclude<State, { status: "off" }>): string {
  switch (state.status) {
    case "available":
    case "ready":
      return t(`settings:update.${state.status}`, { version: state.version })
    case "downloading":
      return t("settings:update.downloading", {
        version: state.version,
        percent: formatPercent(state.percent / 100),
      })
    case "failed":
      return t("settings:update.failed", { reason: state.message })
    case "idle":
    case "checking":
    case "current":
      return t(`settings:update.${state.status}`)
  }
}

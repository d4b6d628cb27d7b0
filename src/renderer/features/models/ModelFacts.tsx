import { t } from "i18next"
import type { ModelState } from "../../../shared/contract/models.ts"
import { formatCount, formatPercent } from "../../lib/format.ts"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import { Facts } from "../../ui/SettingsGroup.tsx"

const statusNames: Record<ModelState["status"], string> = {
  idle: "Loads at the first question",
  loading: "Loading",
  ready: "Ready",
  failed: "Failed",
}

/** What a model in use is doing and what it runs on. */
export function ModelFacts({ model }: { model: ModelState }) {
  const { id, kind, status, progress, contextSize, gpu, threads, error } = model
  const share = status === "loading" ? progress : undefined
  return (
    <>
      {error !== undefined && <Note kind="error">{error}</Note>}
      <Facts
        rows={[
          ["Model", id],
          ["State", share === undefined ? statusNames[status] : `Loading ${formatPercent(share)}`],
          ...(contextSize > 0
            ? ([["Context", `${formatCount(contextSize)} tokens`]] as [string, string][])
            : []),
          ["Runs on", kind === "remote" ? "Another server" : runsOn(gpu, threads)],
        ]}
      />
      {share !== undefined && <ProgressBar percent={share * 100} label={`Loading ${id}`} />}
    </>
  )
}

function runsOn(gpu: string | undefined, threads: number | undefined): string {
  if (gpu !== undefined) return `The GPU (${gpu})`
  return threads === undefined ? "The processor" : `The processor, ${t("threadCount", { count: threads })}`
}

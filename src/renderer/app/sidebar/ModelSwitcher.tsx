import { t } from "i18next"
import { ChevronsUpDown } from "lucide-react"
import { Suspense, useState } from "react"
import type { ModelState } from "../../../shared/contract/models.ts"
import { useConnection } from "../../data/live-updates.ts"
import { useModels } from "../../data/models/models.ts"
import { formatPercent } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { Popover } from "../../ui/layers/Popover.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { later } from "../../lib/later.ts"

const ModelPanel = later(async () => (await import("./ModelPanel.tsx")).ModelPanel)

const dots: Record<ModelState["status"], string> = {
  idle: "bg-faint",
  loading: "bg-warning animate-pulse",
  ready: "bg-good",
  failed: "bg-danger",
}

/** Shows the chat model and its state, or that the box can't be reached. Opens the model choice. */
export function ModelSwitcher() {
  const [open, setOpen] = useState(false)
  const { lost } = useConnection()
  const { data: models } = useModels()
  if (!lost && !models) return <span className="flex-1" />
  const { dot, text } = lost
    ? { dot: "bg-warning animate-pulse", text: t("frame:connection.reconnecting") }
    : describeModelState(models?.chat ?? null)
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t("frame:models.label")}
      trigger={
        <button
          type="button"
          title={text}
          className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink"
        >
          <span className={classNames("size-1.5 shrink-0 rounded-full", dot)} aria-hidden />
          <span className="min-w-0 flex-1 truncate text-left">{text}</span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-faint" aria-hidden />
        </button>
      }
      className="flex max-h-[min(28rem,var(--radix-popover-content-available-height))] w-[min(20rem,calc(100vw-1.5rem))] flex-col overflow-hidden rounded-xl"
    >
      <Suspense fallback={<Spinner label={t("common:loading")} />}>
        <ModelPanel onLeave={() => setOpen(false)} />
      </Suspense>
    </Popover>
  )
}

function describeModelState(model: ModelState | null): { dot: string; text: string } {
  if (!model) return { dot: "bg-line-strong", text: t("frame:noModel") }
  const { id, status, progress } = model
  const loading = status === "loading" ? ` · ${formatPercent(progress ?? 0)}` : ""
  return { dot: dots[status], text: `${id.replace(/\.gguf$/i, "")}${loading}` }
}

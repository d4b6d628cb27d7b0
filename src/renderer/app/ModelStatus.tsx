import { t } from "i18next"
import { Link } from "wouter"
import type { ModelState } from "../../shared/contract/models.ts"
import { useConnection } from "../data/live-updates.ts"
import { useModels } from "../data/models/models.ts"
import { formatPercent } from "../lib/words/format.ts"
import { routes } from "../lib/places/routes.ts"
import { classNames } from "../ui/class-names.ts"

const dots: Record<ModelState["status"], string> = {
  idle: "bg-faint",
  loading: "bg-warning animate-pulse",
  ready: "bg-good",
  failed: "bg-danger",
}

/** Which model answers and how it is, or that the box can't be reached. */
export function ModelStatus() {
  const { lost } = useConnection()
  const { data: models } = useModels()
  if (lost) return <Status dot="bg-warning animate-pulse" text={t("frame:connection.reconnecting")} />
  if (!models) return <span className="flex-1" />
  if (!models.chat) return <Status dot="bg-line-strong" text={t("frame:noModel")} />
  const { id, status, progress } = models.chat
  const loading = status === "loading" ? ` · ${formatPercent(progress ?? 0)}` : ""
  return <Status dot={dots[status]} text={`${modelName(id)}${loading}`} />
}

function Status({ dot, text }: { dot: string; text: string }) {
  return (
    <Link
      href={routes.models}
      title={text}
      className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink"
    >
      <span className={classNames("size-1.5 shrink-0 rounded-full", dot)} aria-hidden />
      <span className="truncate">{text}</span>
    </Link>
  )
}

const modelName = (id: string): string => id.replace(/\.gguf$/i, "")

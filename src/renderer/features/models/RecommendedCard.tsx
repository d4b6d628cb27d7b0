import { t } from "i18next"
import { Check, Download } from "lucide-react"
import { useState, type ReactNode } from "react"
import type { Computer, OfferedModel } from "../../../shared/contract/models.ts"
import {
  useCatalogue,
  useChooseModel,
  useDownloads,
  useFoundModels,
  useModels,
  useStartDownload,
} from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { ConsentFacts, DownloadRow } from "./ModelDownload.tsx"
import { UseServerDialog } from "./servers/UseServerDialog.tsx"
import { UseModelDialog } from "./AddLocalModel.tsx"
import { whyNotDownload } from "./wording.ts"

/** Offers the chat model that fits this computer best, and asks before anything is downloaded. */
export function RecommendedCard({ onLater }: { onLater: () => void }) {
  const { data: state } = useModels()
  const { data: catalogue, error } = useCatalogue()
  const { data: downloads } = useDownloads()
  const running = downloads?.find(({ status }) => status !== "done")

  if (state?.chat) {
    return (
      <>
        <p className="flex items-center gap-2 text-sm">
          <Check className="size-4 shrink-0 text-good" aria-hidden />
          <span className="min-w-0 break-words">{t("models:card.ready", { name: state.chat.id })}</span>
        </p>
        {state.chat.kind === "remote" && (
          <p className="mt-2 text-xs text-faint">{t("models:servers.sees")}</p>
        )}
      </>
    )
  }
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!catalogue) return <Spinner label={t("models:loading")} />
  if (running) {
    return (
      <>
        <ul className="rounded-lg border border-line" aria-label={t("models:download.title")}>
          <DownloadRow download={running} />
        </ul>
        <Others onLater={onLater} />
      </>
    )
  }
  const offered = catalogue.models.find(({ purpose, recommended }) => purpose === "chat" && recommended)
  if (!offered) {
    return (
      <>
        <Note>{t("models:card.noneFits")}</Note>
        <Others onLater={onLater} />
      </>
    )
  }
  return <Offer model={offered} computer={catalogue.computer} onLater={onLater} />
}

interface OfferProps {
  model: OfferedModel
  computer: Computer
  onLater: () => void
}

function Offer({ model, computer, onLater }: OfferProps) {
  const start = useStartDownload()
  const choose = useChooseModel()
  const { id, name, sizeBytes, installedId } = model
  const obstacle = whyNotDownload(model, computer)
  const online = computer.online && navigator.onLine
  const error = start.error ?? choose.error
  return (
    <>
      <p className="mb-2 text-sm font-medium">{name}</p>
      <ConsentFacts model={model} computer={computer} />
      <div className="mt-3 flex flex-col gap-3">
        {!online && installedId === null && <Note kind="warning">{t("models:consent.offline")}</Note>}
        {obstacle !== null && installedId === null && <Note kind="warning">{obstacle}</Note>}
        {error && <Note kind="error">{describeError(error)}</Note>}
      </div>
      <Others onLater={onLater}>
        {installedId === null ? (
          <Button
            busy={start.isPending}
            disabled={!online || obstacle !== null}
            onClick={() => start.mutate({ catalogueId: id, use: true })}
          >
            <Download aria-hidden /> {t("models:catalogue.downloadSize", { size: formatSize(sizeBytes) })}
          </Button>
        ) : (
          <Button
            variant="primary"
            busy={choose.isPending}
            onClick={() => choose.mutate({ role: "chat", modelId: installedId })}
          >
            {t("models:download.use")}
          </Button>
        )}
      </Others>
    </>
  )
}

/** Alternatives to downloading, which are always available. */
function Others({ onLater, children }: { onLater: () => void; children?: ReactNode }) {
  const [choosing, setChoosing] = useState<"file" | "server">()
  const { data: found = [] } = useFoundModels()
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {children}
      <Button onClick={() => setChoosing("file")}>
        {found.length > 0 ? t("models:card.useFound", { count: found.length }) : t("models:card.useFile")}
      </Button>
      <Button onClick={() => setChoosing("server")}>{t("models:card.useServer")}</Button>
      <Button variant="quiet" onClick={onLater}>
        {t("models:card.later")}
      </Button>
      {choosing === "file" && <UseModelDialog onClose={() => setChoosing(undefined)} />}
      {choosing === "server" && <UseServerDialog onClose={() => setChoosing(undefined)} />}
    </div>
  )
}

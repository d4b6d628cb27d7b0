import { t } from "i18next"
import { Pencil, RotateCw, SlidersHorizontal, X } from "lucide-react"
import { useState } from "react"
import type { ModelServer } from "../../../../shared/contract/model-servers.ts"
import { useRefreshServer, useRemoveServer } from "../../../data/models/model-settings.ts"
import { describeError } from "../../../lib/box.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"
import { ServerDialog } from "./ServerDialog.tsx"
import { ServerModelsDialog } from "./ServerModelsDialog.tsx"

/** One server: its state and the actions for it. */
export function ServerRow({ server }: { server: ModelServer }) {
  const { id, name, url, hasKey, state, problem, sentence, models } = server
  const [open, setOpen] = useState<"models" | "change" | "remove">()
  const refresh = useRefreshServer(id)
  const remove = useRemoveServer(id)
  const facts = [
    t("models:servers.models", { count: models.length }),
    hasKey ? t("models:servers.hasKey") : t("models:servers.noKey"),
    url,
  ]
  const error = refresh.error ?? remove.error
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-1">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm" title={name}>
            {name}
            <span className={`ml-2 text-xs ${state === "reachable" ? "text-good" : "text-soft"}`}>
              {t(`models:servers.state.${state}`)}
            </span>
          </p>
          <p className="truncate text-xs text-faint" title={url}>
            {facts.join(" · ")}
          </p>
        </div>
        <IconButton label={t("models:servers.showModels", { name })} onClick={() => setOpen("models")}>
          <SlidersHorizontal aria-hidden />
        </IconButton>
        <IconButton
          label={t("models:servers.refresh", { name })}
          disabled={refresh.isPending}
          onClick={() => refresh.mutate()}
        >
          <RotateCw className={refresh.isPending ? "animate-spin" : ""} aria-hidden />
        </IconButton>
        <IconButton label={t("models:servers.change", { name })} onClick={() => setOpen("change")}>
          <Pencil aria-hidden />
        </IconButton>
        <IconButton
          label={t("models:servers.remove", { name })}
          disabled={remove.isPending}
          onClick={() => setOpen("remove")}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      {problem !== null && <Note kind="warning">{toPageLanguage(problem, sentence)}</Note>}
      {error && <Note kind="error">{describeError(error)}</Note>}
      {open === "models" && <ServerModelsDialog server={server} onClose={() => setOpen(undefined)} />}
      {open === "change" && <ServerDialog server={server} onClose={() => setOpen(undefined)} />}
      <ConfirmDialog
        open={open === "remove"}
        onClose={() => setOpen(undefined)}
        onConfirm={() => remove.mutate()}
        title={t("models:servers.removeTitle", { name })}
        description={t("models:servers.removeHint")}
        confirmLabel={t("models:servers.removeConfirm")}
      />
    </li>
  )
}

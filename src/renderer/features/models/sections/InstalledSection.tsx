import { t } from "i18next"
import { SlidersHorizontal, Trash2, X } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { InstalledModel } from "../../../../shared/contract/models.ts"
import { useRemoveModel, useInstalledModels } from "../../../data/models/models.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { formatSize } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { AddModelGroup } from "../AddLocalModel.tsx"
import { OptionsDialog } from "../options/OptionsDialog.tsx"

/** The installed models that Casella knows on this computer. */
function InstalledGroup({ models }: { models: InstalledModel[] }) {
  return (
    <SettingsGroup title={t("models:installed.title")} description={t("models:installed.description")}>
      {models.length === 0 ? (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">
          {t("models:installed.none")}{" "}
          <Link href={routes.moreModels} className="rounded text-accent underline underline-offset-2">
            {t("models:more")}
          </Link>
        </p>
      ) : (
        <ul
          className="divide-y divide-line rounded-lg border border-line"
          aria-label={t("models:installed.title")}
        >
          {models.map((model) => (
            <InstalledRow key={model.id} model={model} />
          ))}
        </ul>
      )}
    </SettingsGroup>
  )
}

function InstalledRow({ model }: { model: InstalledModel }) {
  const [open, setOpen] = useState<"options" | "remove">()
  const remove = useRemoveModel()
  const { id, name, path, origin, sizeBytes, purpose, problem, sentence, usedAs } = model
  const size = formatSize(sizeBytes)
  const words =
    origin === "downloaded"
      ? {
          label: t("models:installed.deleteModel", { name }),
          title: t("models:installed.deleteTitle", { name }),
          hint: t("models:installed.deleteHint", { size }),
          confirm: t("models:installed.delete"),
        }
      : {
          label: t("models:installed.forgetModel", { name }),
          title: t("models:installed.forgetTitle", { name }),
          hint: t("models:installed.forgetHint"),
          confirm: t("models:installed.forget"),
        }
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm" title={name}>
            {name}
            {usedAs !== null && <span className="ml-2 text-xs text-good">{t("models:installed.inUse")}</span>}
          </p>
          <p className="truncate text-xs text-faint" title={path}>
            {purpose === null ? "" : `${t(`models:purpose.${purpose}`)} · `}
            {size} · {path}
          </p>
        </div>
        {purpose === "chat" && problem === undefined && (
          <IconButton label={t("models:options.of", { name })} onClick={() => setOpen("options")}>
            <SlidersHorizontal aria-hidden />
          </IconButton>
        )}
        {usedAs === null && (
          <IconButton label={words.label} disabled={remove.isPending} onClick={() => setOpen("remove")}>
            {origin === "downloaded" ? <Trash2 aria-hidden /> : <X aria-hidden />}
          </IconButton>
        )}
      </div>
      {problem !== undefined && <Note kind="warning">{toPageLanguage(problem, sentence)}</Note>}
      {remove.error && <Note kind="error">{describeError(remove.error)}</Note>}
      {open === "options" && (
        <OptionsDialog
          model={{ id, name, contextSize: null, visionIsOpen: false }}
          onClose={() => setOpen(undefined)}
        />
      )}
      <ConfirmDialog
        open={open === "remove"}
        onClose={() => setOpen(undefined)}
        onConfirm={() => remove.mutate(id)}
        title={words.title}
        description={words.hint}
        confirmLabel={words.confirm}
      />
    </li>
  )
}

/** The models on this computer that Casella knows, and those that can be added. */
export function InstalledSection() {
  const { data: installed, error } = useInstalledModels()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!installed) return <Spinner label={t("models:loading")} />
  return (
    <>
      <InstalledGroup models={installed.models} />
      <AddModelGroup />
    </>
  )
}

import { Trash2, X } from "lucide-react"
import { useState } from "react"
import type { InstalledModel } from "../../../shared/contract/model-files.ts"
import { useRemoveModel } from "../../data/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/format.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { purposeNames } from "./wording.ts"

/** The models on this computer that Casella knows. */
export function InstalledGroup({ models }: { models: InstalledModel[] }) {
  if (models.length === 0) return null
  return (
    <SettingsGroup
      title="Your models"
      description="Downloaded, or added from where they are. One in use can be removed once another, or none, is chosen above."
    >
      <ul className="divide-y divide-line rounded-lg border border-line" aria-label="Your models">
        {models.map((model) => (
          <InstalledRow key={model.id} model={model} />
        ))}
      </ul>
    </SettingsGroup>
  )
}

function InstalledRow({ model }: { model: InstalledModel }) {
  const [confirming, setConfirming] = useState(false)
  const remove = useRemoveModel()
  const { id, name, path, origin, sizeBytes, purpose, problem, usedAs } = model
  const downloaded = origin === "downloaded"
  const verb = downloaded ? "Delete" : "Forget"
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm">
            {name}
            {usedAs !== null && <span className="ml-2 text-xs text-good">In use</span>}
          </p>
          <p className="truncate text-xs text-faint" title={path}>
            {purpose === null ? "" : `${purposeNames[purpose]} · `}
            {formatSize(sizeBytes)} · {path}
          </p>
        </div>
        {usedAs === null && (
          <IconButton
            label={`${verb} ${name}`}
            disabled={remove.isPending}
            onClick={() => setConfirming(true)}
          >
            {downloaded ? <Trash2 aria-hidden /> : <X aria-hidden />}
          </IconButton>
        )}
      </div>
      {problem !== undefined && <Note kind="warning">{problem}</Note>}
      {remove.error && <Note kind="error">{describeError(remove.error)}</Note>}
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(id)}
        title={`${verb} ${name}?`}
        description={
          downloaded
            ? `Its file of ${formatSize(sizeBytes)} is deleted from this computer.`
            : "The file stays where it is; Casella only stops listing it."
        }
        confirmLabel={verb}
      />
    </li>
  )
}

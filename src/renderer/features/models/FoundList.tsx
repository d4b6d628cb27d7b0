import { t } from "i18next"
import type { FoundModel, InstalledModel } from "../../../shared/contract/models.ts"
import { useAddModel } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"

interface FoundListProps {
  models: FoundModel[]
  /** Button labels, without and with the model's name. */
  verb: { short: string; full: (name: string) => string }
  onAdded: (model: InstalledModel) => void
}

/** Models in other programs' directories, each with a button to add it. */
export function FoundList({ models, verb, onAdded }: FoundListProps) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line" aria-label={t("models:found.title")}>
      {models.map((model) => (
        <FoundRow key={model.path} model={model} verb={verb} onAdded={onAdded} />
      ))}
    </ul>
  )
}

interface FoundRowProps extends Omit<FoundListProps, "models"> {
  model: FoundModel
}

function FoundRow({ model: { name, path, program, sizeBytes }, verb, onAdded }: FoundRowProps) {
  const add = useAddModel()
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm" title={name}>
            {name}
          </p>
          <p className="truncate text-xs text-faint" title={path}>
            {program} · {formatSize(sizeBytes)} · {path}
          </p>
        </div>
        <Button
          aria-label={verb.full(name)}
          busy={add.isPending}
          onClick={() => add.mutate(path, { onSuccess: ({ model }) => onAdded(model) })}
        >
          {verb.short}
        </Button>
      </div>
      {add.error && <Note kind="error">{describeError(add.error)}</Note>}
    </li>
  )
}

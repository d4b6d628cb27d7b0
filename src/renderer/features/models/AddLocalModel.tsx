import { t } from "i18next"
import { useState } from "react"
import { type FoundModel, type InstalledModel, roleFor } from "../../../shared/contract/models.ts"
import { useAddModel, useChooseModel, useFoundModels, useInstalledModels } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { PathField } from "../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Dialog } from "../../ui/layers/Dialog.tsx"

interface FoundListProps {
  models: FoundModel[]
  /** Button labels, without and with the model's name. */
  verb: { short: string; full: (name: string) => string }
  onAdded: (model: InstalledModel) => void
}

/** Models in other programs' directories, each with a button to add it. */
function FoundList({ models, verb, onAdded }: FoundListProps) {
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

interface PathFormProps {
  /** The button's label. */
  submit: string
  onAdded: (model: InstalledModel) => void
}

/** Adds a GGUF file by its path. */
function PathForm({ submit, onAdded }: PathFormProps) {
  const [path, setPath] = useState("")
  const add = useAddModel()
  const issues = getIssues(add.error, ["path"])
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(path.trim(), {
          onSuccess: ({ model }) => {
            setPath("")
            onAdded(model)
          },
        })
      }}
    >
      <div className="w-full">
        <PathField
          kind="file"
          label={t("models:add.path")}
          hint={t("models:add.pathHint")}
          value={path}
          onPath={setPath}
          error={issues["path"] ?? issues["other"]}
        />
      </div>
      <Button type="submit" busy={add.isPending} disabled={path.trim() === ""}>
        {submit}
      </Button>
    </form>
  )
}

/** Reports that a model was added. If its role has no chosen model, the added model is chosen. */
function useAdded() {
  const { data: installed } = useInstalledModels()
  const choose = useChooseModel()
  return ({ id, name, purpose }: InstalledModel) => {
    const role = roleFor(purpose)
    const free = role !== undefined && installed?.choice[role].chosenId === null
    if (free) choose.mutate({ role, modelId: id }, { onError: showError })
    showToast(t("models:add.added", { name }))
  }
}

/** Adds models that are already on this computer, by path or from other programs' directories. */
export function AddModelGroup() {
  const onAdded = useAdded()
  return (
    <>
      <SettingsGroup title={t("models:add.title")} description={t("models:add.description")}>
        <PathForm submit={t("models:add.submit")} onAdded={onAdded} />
      </SettingsGroup>
      <Found onAdded={onAdded} />
    </>
  )
}

function Found({ onAdded }: { onAdded: (model: InstalledModel) => void }) {
  const { data: found, error } = useFoundModels()
  if (!error && (!found || found.length === 0)) return null
  const verb = { short: t("models:found.add"), full: (name: string) => t("models:found.addModel", { name }) }
  return (
    <SettingsGroup title={t("models:found.title")} description={t("models:found.description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {found && <FoundList models={found} verb={verb} onAdded={onAdded} />}
    </SettingsGroup>
  )
}

/** Starts using a model that is on this computer: another program's model, or a file by its path. */
export function UseModelDialog({ onClose }: { onClose: () => void }) {
  const { data: found = [] } = useFoundModels()
  const choose = useChooseModel()

  function use({ id, purpose }: InstalledModel) {
    const role = roleFor(purpose)
    if (role) choose.mutate({ role, modelId: id }, { onSuccess: onClose })
    else onClose()
  }

  const verb = { short: t("models:found.use"), full: (name: string) => t("models:found.useModel", { name }) }
  return (
    <Dialog open onClose={onClose} title={t("models:card.dialog")} description={t("models:card.dialogHint")}>
      <div className="flex flex-col gap-4">
        {found.length > 0 && <FoundList models={found} verb={verb} onAdded={use} />}
        <PathForm submit={t("models:add.use")} onAdded={use} />
        {choose.error && <Note kind="error">{describeError(choose.error)}</Note>}
      </div>
    </Dialog>
  )
}

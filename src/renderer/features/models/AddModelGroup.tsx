import { useState } from "react"
import type { FoundModel } from "../../../shared/contract/model-files.ts"
import { useAddModel, useFoundModels, useInstalledModels } from "../../data/models.ts"
import { describeError } from "../../lib/box.ts"
import { issuesOf } from "../../lib/field-issues.ts"
import { formatSize } from "../../lib/format.ts"
import { Button } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { showToast } from "../../ui/toasts.ts"

/** Models that are on this computer already: by path, or from other programs' folders. */
export function AddModelGroup() {
  return (
    <>
      <SettingsGroup
        title="Use a file"
        description="A GGUF file is used where it is. It is never copied or deleted."
      >
        <PathForm />
      </SettingsGroup>
      <Found />
    </>
  )
}

const announceAdded = (name: string) => showToast(`${name} was added to your models.`)

function PathForm() {
  const [path, setPath] = useState("")
  const add = useAddModel()
  const issues = issuesOf(add.error, ["path"])
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(path.trim(), {
          onSuccess: ({ model }) => {
            setPath("")
            announceAdded(model.name)
          },
        })
      }}
    >
      <div className="w-full">
        <TextField
          label="Path of the file"
          hint="The whole path, ending in .gguf"
          value={path}
          maxLength={4096}
          onChange={(event) => setPath(event.target.value)}
          error={issues["path"] ?? issues["other"]}
        />
      </div>
      <Button type="submit" busy={add.isPending} disabled={path.trim() === ""}>
        Add file
      </Button>
    </form>
  )
}

function Found() {
  const { data: found, error } = useFoundModels()
  const { data: installed } = useInstalledModels()
  const known = new Set(installed?.models.map(({ path }) => path))
  const offered = found?.filter(({ path }) => !known.has(path))
  if (!error && (!offered || offered.length === 0)) return null
  return (
    <SettingsGroup
      title="Found on this computer"
      description="In the folders of other programs, which keep them."
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      <ul className="divide-y divide-line rounded-lg border border-line" aria-label="Found on this computer">
        {offered?.map((model) => (
          <FoundRow key={model.path} model={model} />
        ))}
      </ul>
    </SettingsGroup>
  )
}

function FoundRow({ model: { name, path, program, sizeBytes } }: { model: FoundModel }) {
  const add = useAddModel()
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm">{name}</p>
          <p className="truncate text-xs text-faint" title={path}>
            {program} · {formatSize(sizeBytes)} · {path}
          </p>
        </div>
        <Button
          aria-label={`Add ${name}`}
          busy={add.isPending}
          onClick={() => add.mutate(path, { onSuccess: ({ model }) => announceAdded(model.name) })}
        >
          Add
        </Button>
      </div>
      {add.error && <Note kind="error">{describeError(add.error)}</Note>}
    </li>
  )
}

import { useState } from "react"
import { Strategy, type Folder } from "../../../shared/contract/folders.ts"
import { useUpdateFolder } from "../../data/folders.ts"
import { issuesOf } from "../../lib/field-issues.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { SelectField, TextAreaField, TextField } from "../../ui/Field.tsx"
import { Note } from "../../ui/Note.tsx"

const strategyNames: Record<Strategy, string> = {
  hybrid: "Keywords and meaning together",
  semantic: "Meaning only",
  keyword: "Keywords only",
}

/** How a folder is called and how it is searched. */
export function FolderSettingsDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const [form, setForm] = useState({
    name: folder.name,
    description: folder.description,
    topK: String(folder.topK),
    filter: String(folder.filter),
    strategy: folder.strategy,
  })
  const update = useUpdateFolder(folder.id)
  const issues = issuesOf(update.error, ["name", "description", "topK", "filter"])
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part })

  return (
    <Dialog open onClose={onClose} title="Folder settings">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate(
            { ...form, name: form.name.trim(), topK: Number(form.topK), filter: Number(form.filter) },
            { onSuccess: onClose },
          )
        }}
      >
        <TextField
          label="Name"
          value={form.name}
          maxLength={120}
          onChange={(event) => change({ name: event.target.value })}
          error={issues["name"]}
        />
        <TextAreaField
          label="Description"
          value={form.description}
          maxLength={2000}
          onChange={(event) => change({ description: event.target.value })}
          error={issues["description"]}
        />
        <SelectField
          label="Search by"
          value={form.strategy}
          onChange={(event) => change({ strategy: Strategy.parse(event.target.value) })}
          hint="Meaning needs an embedding model; without one, keywords are used."
        >
          {Strategy.options.map((strategy) => (
            <option key={strategy} value={strategy}>
              {strategyNames[strategy]}
            </option>
          ))}
        </SelectField>
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label="Passages per answer"
            type="number"
            min={1}
            max={50}
            value={form.topK}
            onChange={(event) => change({ topK: event.target.value })}
            error={issues["topK"]}
            hint="1 to 50"
          />
          <TextField
            label="Least relevance, %"
            type="number"
            min={0}
            max={100}
            value={form.filter}
            onChange={(event) => change({ filter: event.target.value })}
            error={issues["filter"]}
            hint="Less relevant passages are left out"
          />
        </div>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={form.name.trim() === ""}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

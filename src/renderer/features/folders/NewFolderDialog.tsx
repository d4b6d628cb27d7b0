import { FolderOpen } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import { useCreateFolder } from "../../data/folders.ts"
import { issuesOf } from "../../lib/field-issues.ts"
import { routes } from "../../lib/routes.ts"
import { shellBridge } from "../../lib/shell-bridge.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { TextField } from "../../ui/Field.tsx"
import { Note } from "../../ui/Note.tsx"

/** Makes a folder: an empty one to drop documents into, or one that follows a directory of the person's own. */
export function NewFolderDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("")
  const [path, setPath] = useState("")
  const [, navigate] = useLocation()
  const create = useCreateFolder()
  const issues = issuesOf(create.error, ["name", "folder"])
  const pickDirectory = shellBridge()?.pickDirectory

  async function pick() {
    const picked = await pickDirectory?.()
    if (typeof picked !== "string") return
    setPath(picked)
    if (name === "") setName(picked.split(/[\\/]/).findLast((segment) => segment !== "") ?? "")
  }

  function submit() {
    const folder = path.trim()
    create.mutate(
      { name: name.trim(), ...(folder === "" ? {} : { folder }) },
      {
        onSuccess: ({ vector }) => {
          onClose()
          navigate(routes.folder(vector.id))
        },
      },
    )
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="New folder"
      description="Documents in it are indexed, so that you can ask about them."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label="Name"
          placeholder="Contracts"
          value={name}
          maxLength={120}
          onChange={(event) => setName(event.target.value)}
          error={issues["name"]}
        />
        <div className="flex items-start gap-2">
          <div className="flex-1">
            <TextField
              label="Directory to follow (optional)"
              placeholder="/home/you/Documents/Contracts"
              value={path}
              onChange={(event) => setPath(event.target.value)}
              hint="Files in it are followed as they change, and never altered. Empty: you add files by dropping them."
              error={issues["folder"]}
            />
          </div>
          {pickDirectory && (
            <Button onClick={() => void pick()} className="mt-6.5 h-9">
              <FolderOpen aria-hidden /> Choose
            </Button>
          )}
        </div>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ""}>
            Create folder
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

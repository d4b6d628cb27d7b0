import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { copyText } from "../../lib/clipboard.ts"
import { issuesOf } from "../../lib/field-issues.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { TextField } from "../../ui/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { scopeNames } from "./key-scopes.ts"
import { useCreateKey } from "./keys.ts"

/** Makes a key and shows it, this once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateKey()
  if (create.data) return <CreatedKey value={create.data.key} onClose={onClose} />
  return (
    <Dialog open onClose={onClose} title="New API key">
      <KeyForm
        onSubmit={(name, scopes) => create.mutate({ name, scopes })}
        onCancel={onClose}
        error={create.error}
        busy={create.isPending}
      />
    </Dialog>
  )
}

interface KeyFormProps {
  onSubmit: (name: string, scopes: Scope[] | null) => void
  onCancel: () => void
  error: unknown
  busy: boolean
}

function KeyForm({ onSubmit, onCancel, error, busy }: KeyFormProps) {
  const [name, setName] = useState("")
  const [limited, setLimited] = useState(false)
  const [scopes, setScopes] = useState<Scope[]>([])
  const issues = issuesOf(error, ["name", "scopes"])
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(name.trim(), limited ? scopes : null)
      }}
    >
      <TextField
        label="Name"
        placeholder="Backup script"
        value={name}
        maxLength={120}
        onChange={(event) => setName(event.target.value)}
        error={issues["name"]}
      />
      <fieldset className="flex flex-col gap-2 text-sm">
        <legend className="mb-1.5 font-medium">May do</legend>
        <label className="flex items-center gap-2">
          <input
            type="radio"
            name="rights"
            checked={!limited}
            onChange={() => setLimited(false)}
            className="accent-solid"
          />
          Everything you may
        </label>
        <label className="flex items-center gap-2">
          <input
            type="radio"
            name="rights"
            checked={limited}
            onChange={() => setLimited(true)}
            className="accent-solid"
          />
          Only this:
        </label>
        {Scope.options.map((scope) => (
          <label key={scope} className={`ml-6 flex items-center gap-2 ${limited ? "" : "opacity-50"}`}>
            <input
              type="checkbox"
              disabled={!limited}
              checked={scopes.includes(scope)}
              onChange={() =>
                setScopes(
                  scopes.includes(scope) ? scopes.filter((other) => other !== scope) : [...scopes, scope],
                )
              }
              className="accent-solid"
            />
            {scopeNames[scope]}
          </label>
        ))}
        {issues["scopes"] !== undefined && <p className="text-xs text-danger">{issues["scopes"]}</p>}
      </fieldset>
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabled={name.trim() === "" || (limited && scopes.length === 0)}
        >
          Create key
        </Button>
      </DialogActions>
    </form>
  )
}

function CreatedKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await copyText(value)
    setCopied(true)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Your new key"
      description="Copy it now: it is shown only this once."
    >
      <code className="block rounded-md border border-line bg-well px-3 py-2.5 font-mono text-sm break-all select-all">
        {value}
      </code>
      <DialogActions>
        <Button onClick={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
          {copied ? "Copied" : "Copy"}
        </Button>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

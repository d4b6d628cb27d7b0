import { KeyRound, Plus } from "lucide-react"
import { useState } from "react"
import type { ApiKey } from "../../../shared/contract/account.ts"
import { describeError } from "../../lib/box.ts"
import { formatFullMoment, formatMoment } from "../../lib/format.ts"
import { Button } from "../../ui/Button.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { showToast } from "../../ui/toasts.ts"
import { scopeNames } from "./key-scopes.ts"
import { useKeys, useRevokeKey } from "./keys.ts"
import { NewKeyDialog } from "./NewKeyDialog.tsx"

/** API keys: what scripts and other programs sign in with. */
export function KeysSection() {
  const { data: keys, error } = useKeys()
  const [creating, setCreating] = useState(false)
  return (
    <SettingsGroup
      title="API keys"
      description="For scripts and programs of yours. Everything this page does can be done with one."
      action={
        <Button onClick={() => setCreating(true)}>
          <Plus aria-hidden /> New key
        </Button>
      }
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      {keys?.length === 0 && (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">No keys yet.</p>
      )}
      {keys && keys.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </ul>
      )}
      {creating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </SettingsGroup>
  )
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const [confirming, setConfirming] = useState(false)
  const revoke = useRevokeKey()
  const { id, name, hint, scopes, createdAt, lastUsedAt } = apiKey
  const used = lastUsedAt === null ? "never used" : `last used ${formatMoment(lastUsedAt)}`
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <KeyRound className="size-4 shrink-0 text-faint" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={name}>
          {name} <code className="ml-1 font-mono text-xs text-faint">{hint}…</code>
        </p>
        <p className="truncate text-xs text-faint" title={`Created ${formatFullMoment(createdAt)}`}>
          {scopes === null ? "Full rights" : scopes.map((scope) => scopeNames[scope]).join(", ")} · {used}
        </p>
      </div>
      <Button variant="danger" busy={revoke.isPending} onClick={() => setConfirming(true)}>
        Revoke
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => revoke.mutate(id, { onError: (error) => showToast(describeError(error), "error") })}
        title={`Revoke “${name}”?`}
        description="Programs that use it lose access at once."
        confirmLabel="Revoke"
      />
    </li>
  )
}

import { t } from "i18next"
import { KeyRound, Plus } from "lucide-react"
import { useState } from "react"
import type { ApiKey } from "../../../shared/contract/accounts.ts"
import { describeError } from "../../lib/box.ts"
import { formatFullMoment, formatMoment } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { showError } from "../../lib/toasts.ts"
import { scopeName, useKeys, useRevokeKey } from "./keys.ts"
import { KeyCallsDialog } from "./KeyCallsDialog.tsx"
import { NewKeyDialog } from "./NewKeyDialog.tsx"

/** API keys, with which scripts and other programs sign in. */
export function KeysSection() {
  const { data: keys, error } = useKeys()
  const [creating, setCreating] = useState(false)
  return (
    <SettingsGroup
      title={t("settings:sections.keys")}
      description={t("settings:keys.description")}
      action={
        <Button onClick={() => setCreating(true)}>
          <Plus aria-hidden /> {t("settings:keys.new")}
        </Button>
      }
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      {keys?.length === 0 && (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">{t("settings:keys.none")}</p>
      )}
      {keys && keys.length > 0 && (
        <ul
          aria-label={t("settings:sections.keys")}
          className="divide-y divide-line rounded-lg border border-line"
        >
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
  const [showsCalls, setShowsCalls] = useState(false)
  const revoke = useRevokeKey()
  const { id, name, kind, hint, scopes, createdAt, lastUsedAt } = apiKey
  const facts = [
    scopes === null ? t("settings:keys.fullRights") : scopes.map(scopeName).join(", "),
    kind === "embedded" && t("settings:keys.kinds.embedded"),
    lastUsedAt === null
      ? t("settings:keys.neverUsed")
      : t("settings:keys.lastUsed", { moment: formatMoment(lastUsedAt) }),
  ].filter((fact) => fact !== false)
  return (
    <li className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 px-3 py-2.5">
      <KeyRound className="size-4 shrink-0 text-faint" aria-hidden />
      <div className="min-w-0 flex-1 basis-48">
        <p className="truncate text-sm" title={name}>
          {name} <code className="ml-1 font-mono text-xs text-faint">{hint}…</code>
        </p>
        <p
          className="truncate text-xs text-faint"
          title={t("settings:keys.created", { moment: formatFullMoment(createdAt) })}
        >
          {facts.join(" · ")}
        </p>
      </div>
      <Button
        variant="quiet"
        aria-label={t("settings:keys.callsNamed", { name })}
        onClick={() => setShowsCalls(true)}
      >
        {t("settings:keys.calls")}
      </Button>
      {showsCalls && <KeyCallsDialog apiKey={apiKey} onClose={() => setShowsCalls(false)} />}
      <Button
        variant="danger"
        aria-label={t("settings:keys.revokeNamed", { name })}
        busy={revoke.isPending}
        onClick={() => setConfirming(true)}
      >
        {t("settings:keys.revoke")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => revoke.mutate(id, { onError: showError })}
        title={t("settings:keys.revokeTitle", { name })}
        description={t("settings:keys.revokeDescription")}
        confirmLabel={t("settings:keys.revoke")}
      />
    </li>
  )
}

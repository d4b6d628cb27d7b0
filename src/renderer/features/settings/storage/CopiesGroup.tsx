import { t } from "i18next"
import { useState } from "react"
import type { StoredCopy } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { useRemoveCopy } from "./storage.ts"

/** Older copies of the data, which use disk space until someone deletes them. */
export function CopiesGroup({ copies }: { copies: StoredCopy[] }) {
  return (
    <SettingsGroup
      title={t("settings:storage.copies.title")}
      description={t("settings:storage.copies.description")}
    >
      <ul
        aria-label={t("settings:storage.copies.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {copies.map((copy) => (
          <CopyRow key={copy.id} copy={copy} />
        ))}
      </ul>
    </SettingsGroup>
  )
}

function CopyRow({ copy: { id, kind, bytes, createdAt } }: { copy: StoredCopy }) {
  const [confirming, setConfirming] = useState(false)
  const remove = useRemoveCopy()
  const name = t(`settings:storage.copies.${kind}`)
  return (
    <li className="flex items-center gap-3 px-3 py-2 text-sm">
      <div className="min-w-0 flex-1">
        <p className="truncate">{name}</p>
        <p className="text-xs text-faint">
          {formatFullMoment(createdAt)} · {formatSize(bytes)}
        </p>
      </div>
      <Button variant="danger" busy={remove.isPending} onClick={() => setConfirming(true)}>
        {t("settings:storage.delete")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(id, { onError: (error) => showToast(describeError(error), "error") })}
        title={t("settings:storage.copies.deleteTitle")}
        description={t(`settings:storage.copies.deleteDescription.${kind}`)}
        confirmLabel={t("settings:storage.delete")}
      />
    </li>
  )
}

import { t } from "i18next"
import { Pencil, Trash2 } from "lucide-react"
import { useState } from "react"
import type { Memory } from "../../../shared/contract/memory.ts"
import { useForget, useRemember } from "../../data/memory.ts"
import { describeError } from "../../lib/box.ts"
import { formatFullMoment, formatMoment } from "../../lib/words/format.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { showToast } from "../../lib/toasts.ts"
import { MemoryEditor } from "./MemoryEditor.tsx"

export function MemoryRow({ memory }: { memory: Memory }) {
  const { id, text, updatedAt } = memory
  const [editing, setEditing] = useState(false)
  const { mutateAsync: forget, isPending } = useForget()
  const { mutateAsync: remember } = useRemember()

  // The fact is deleted immediately, even for a model that is answering now. Undoing stores the same text again.
  async function forgetNow() {
    try {
      await forget(id)
      const undo = () => {
        remember(text).catch((error: unknown) => showToast(describeError(error), "error"))
      }
      showToast(t("memory:forgotten"), "info", {
        detail: text,
        actions: [{ label: t("memory:undo"), run: undo }],
      })
    } catch (error) {
      showToast(describeError(error), "error")
    }
  }

  if (editing) {
    return (
      <li className="p-3">
        <MemoryEditor memory={memory} onDone={() => setEditing(false)} />
      </li>
    )
  }
  return (
    <li className="flex items-start gap-2 py-2 pr-2 pl-3">
      <div className="min-w-0 flex-1">
        <p className="text-sm break-words whitespace-pre-wrap">{text}</p>
        <p className="text-xs text-faint" title={formatFullMoment(updatedAt)}>
          {t("memory:since", { moment: formatMoment(updatedAt) })}
        </p>
      </div>
      <IconButton label={t("memory:edit")} onClick={() => setEditing(true)}>
        <Pencil aria-hidden />
      </IconButton>
      <IconButton label={t("memory:forget")} disabled={isPending} onClick={() => void forgetNow()}>
        <Trash2 aria-hidden />
      </IconButton>
    </li>
  )
}

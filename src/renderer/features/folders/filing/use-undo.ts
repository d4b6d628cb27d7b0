import { t } from "i18next"
import { useState } from "react"
import { undoFiling } from "../../../data/folders/filing.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"

/** Undoes changes; `busy` is the id of the one being undone. */
export function useUndo(): { busy: string | null; undo: (id: string) => void } {
  const [busy, setBusy] = useState<string | null>(null)
  const undo = (id: string) => {
    setBusy(id)
    undoFiling(id)
      .then(
        () => showToast(t("filing:notice.undone")),
        (error: unknown) => showToast(describeError(error), "error"),
      )
      .finally(() => setBusy(null))
  }
  return { busy, undo }
}

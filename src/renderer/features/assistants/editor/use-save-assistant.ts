import { useMutation } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { createAssistant, updateAssistant, useTools } from "../../../data/assistants.ts"
import { navigate } from "../../../lib/places/hash-location.ts"
import { routes } from "../../../lib/places/routes.ts"
import type { Revealed } from "../fields/use-more.ts"
import { draftOf, patchOf, type AssistantForm, type FormChanges } from "./form.ts"
import { firstIssue, formIssues, ownIssues, type IssueField } from "./form-issues.ts"

interface SaveOptions {
  /** Undefined for one that isn't made yet. */
  assistant: Assistant | undefined
  saved: AssistantForm
  form: AssistantForm
  changes: FormChanges
  onSaved: (sent: FormChanges) => void
  /** The box didn't take it. */
  onRefused: () => void
  /** A field with an issue is about to be shown. */
  onReveal: () => void
}

/** Saves what the editor holds, and says what is wrong with it. */
export function useSaveAssistant({
  assistant,
  saved,
  form,
  changes,
  onSaved,
  onRefused,
  onReveal,
}: SaveOptions) {
  const { data: tools } = useTools()
  /** Somebody wanted to save: from now on the form says what is missing. */
  const [checked, setChecked] = useState(false)
  const [revealed, setRevealed] = useState<Revealed>()
  const own = ownIssues(form)
  const missing = firstIssue(own)

  // What stands in the way of the field is opened first.
  useEffect(() => bringIntoView(revealed?.field), [revealed])

  function reveal(field: IssueField | undefined) {
    if (field === undefined) return
    onReveal()
    setRevealed({ field })
  }

  const save = useMutation({
    mutationFn: async (sent: FormChanges): Promise<Assistant> => {
      const known = tools && new Set(tools.map(({ key }) => key))
      if (!assistant) return createAssistant(draftOf({ ...saved, ...sent }, known))
      return updateAssistant(assistant.id, patchOf(sent, known))
    },
    onSuccess: (_, sent) => onSaved(sent),
    onError: (error) => {
      onRefused()
      reveal(firstIssue(formIssues(error)))
    },
  })

  /** Saves, then goes on; what is missing is shown instead. */
  function submit(then?: (assistant: Assistant) => void) {
    setChecked(true)
    if (missing !== undefined) return reveal(missing)
    if (save.isPending) return
    if (assistant && Object.keys(changes).length === 0) return then?.(assistant)
    save.mutate(changes, {
      onSuccess(result) {
        if (then) then(result)
        else if (!assistant) navigate(routes.assistant(result.id), { replace: true })
      },
    })
  }

  const issues = { ...formIssues(save.error), ...(checked ? own : {}) }
  return { save, missing, issues, revealed, submit }
}

/** Once it is drawn, and a dialog that is closing has given back the focus. */
function bringIntoView(field: IssueField | undefined): void {
  if (field === undefined) return
  requestAnimationFrame(() => {
    const section = document.querySelector(`[data-field~="${field}"]`)
    section?.scrollIntoView({ block: "center" })
    section?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true })
  })
}

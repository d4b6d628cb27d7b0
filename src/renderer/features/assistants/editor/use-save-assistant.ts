import { useMutation } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { createAssistant, updateAssistant, useTools } from "../../../data/assistants.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import type { Revealed } from "../fields/use-more.ts"
import { toDraft, toPatch, type AssistantForm, type FormChanges } from "./form.ts"
import { firstIssue, formIssues, findFormIssues, type IssueField } from "./form-issues.ts"

interface SaveOptions {
  /** Undefined for a new assistant. */
  assistant: Assistant | undefined
  saved: AssistantForm
  form: AssistantForm
  changes: FormChanges
  onSaved: (sent: FormChanges) => void
  /** Called when the box refuses the save. */
  onRefused: () => void
  /** Called before a field with an issue is shown. */
  onReveal: () => void
}

/** Saves the editor's changes, and shows what is wrong with them. */
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
  /** Set after the first attempt to save; from then on, the form shows what is missing. */
  const [checked, setChecked] = useState(false)
  const [revealed, setRevealed] = useState<Revealed>()
  const own = findFormIssues(form)
  const missing = firstIssue(own)

  // Whatever hides the field is opened first.
  useEffect(() => bringIntoView(revealed?.field), [revealed])

  function reveal(field: IssueField | undefined) {
    if (field === undefined) return
    onReveal()
    setRevealed({ field })
  }

  const save = useMutation({
    mutationFn: async (sent: FormChanges): Promise<Assistant> => {
      const known = tools && new Set(tools.map(({ key }) => key))
      if (!assistant) return createAssistant(toDraft({ ...saved, ...sent }, known))
      return updateAssistant(assistant.id, toPatch(sent, known))
    },
    onSuccess: (_, sent) => onSaved(sent),
    onError: (error) => {
      onRefused()
      reveal(firstIssue(formIssues(error)))
    },
  })

  /** Saves, then calls `then`. If something is missing, shows that instead. */
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

/** Waits for the next frame, when the field is rendered and a closing dialog has returned the focus. */
function bringIntoView(field: IssueField | undefined): void {
  if (field === undefined) return
  requestAnimationFrame(() => {
    const section = document.querySelector(`[data-field~="${field}"]`)
    section?.scrollIntoView({ block: "center" })
    section?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true })
  })
}

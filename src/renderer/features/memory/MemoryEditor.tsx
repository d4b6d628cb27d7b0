import { t } from "i18next"
import { useState } from "react"
import { maxMemoryLength, type Memory } from "../../../shared/contract/memory.ts"
import { useChangeMemory } from "../../data/memory.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextAreaField } from "../../ui/controls/Field.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"

/** Edits a fact's text. Enter saves; Esc discards the change. */
export function MemoryEditor({ memory, onDone }: { memory: Memory; onDone: () => void }) {
  const [text, setText] = useState(memory.text)
  const change = useChangeMemory(memory.id)
  const issues = getIssues(change.error, ["text"])
  function save() {
    if (text.trim() === memory.text) onDone()
    else if (text.trim() !== "") change.mutate(text.trim(), { onSuccess: onDone })
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextAreaField
        ref={focusOnce}
        label={t("memory:fact")}
        value={text}
        maxLength={maxMemoryLength}
        error={issues["text"] ?? issues["other"]}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone()
          else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) save()
          else return
          event.preventDefault()
        }}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t("common:cancel")}</Button>
        <Button type="submit" variant="primary" busy={change.isPending} disabled={text.trim() === ""}>
          {t("memory:save")}
        </Button>
      </div>
      <LeaveQuestion unsaved={text.trim() !== memory.text} />
    </form>
  )
}

const focusOnce = (field: HTMLTextAreaElement | null) => field?.focus()

import { t } from "i18next"
import { useState } from "react"
import { maxMemoryLength } from "../../../shared/contract/memory.ts"
import { useRemember } from "../../data/memory.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"

/** Adds a fact for assistants to remember. */
export function RememberForm() {
  const [text, setText] = useState("")
  const remember = useRemember()
  const issues = getIssues(remember.error, ["text"])
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        remember.mutate(text.trim(), { onSuccess: () => setText("") })
      }}
    >
      <div className="w-full">
        <TextField
          label={t("memory:newFact")}
          placeholder={t("memory:example")}
          value={text}
          maxLength={maxMemoryLength}
          onChange={(event) => setText(event.target.value)}
          error={issues["text"] ?? issues["other"]}
        />
      </div>
      <Button type="submit" busy={remember.isPending} disabled={text.trim() === ""}>
        {t("memory:remember")}
      </Button>
      <LeaveQuestion unsaved={text.trim() !== ""} />
    </form>
  )
}

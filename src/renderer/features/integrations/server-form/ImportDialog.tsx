import { t } from "i18next"
import { useState } from "react"
import { useAddServer } from "../../../data/integrations.ts"
import { describeError } from "../../../lib/box.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { TextAreaField } from "../../../ui/controls/Field.tsx"
import { Note } from "../../../ui/Note.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { readConfiguration } from "./read-configuration.ts"

/** Imports servers from another program's configuration. They are added, but nothing is started. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("")
  const [failures, setFailures] = useState<string[]>([])
  const add = useAddServer()
  const servers = text.trim() === "" ? null : readConfiguration(text)

  async function addAll() {
    const failed: string[] = []
    for (const server of servers ?? []) {
      await add
        .mutateAsync(server)
        .catch((error: unknown) => failed.push(`${server.name}: ${describeError(error)}`))
    }
    setFailures(failed)
    const added = (servers?.length ?? 0) - failed.length
    if (added > 0) showToast(t("integrations:import.added", { count: added }))
    if (failed.length === 0) onClose()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("integrations:import.title")}
      description={t("integrations:import.description")}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void addAll()
        }}
      >
        <TextAreaField
          label={t("integrations:import.configuration")}
          hint={servers ? t("integrations:import.found", { count: servers.length }) : undefined}
          error={text.trim() !== "" && !servers ? t("integrations:import.unreadable") : undefined}
          rows={10}
          spellCheck={false}
          placeholder={'{ "mcpServers": { … } }'}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {failures.map((failure) => (
          <Note key={failure} kind="error">
            {failure}
          </Note>
        ))}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={add.isPending}
            disabled={servers === null || servers.length === 0}
          >
            {t("integrations:import.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

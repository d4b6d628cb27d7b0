import { t } from "i18next"
import { useRef, useState, type ClipboardEvent, type ReactNode } from "react"
import { flushSync } from "react-dom"
import type { IntegrationSummary } from "../../../../shared/contract/integrations.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { DialogActions } from "../../../ui/layers/Dialog.tsx"
import { SelectField, TextAreaField, TextField } from "../../../ui/controls/Field.tsx"
import { Note } from "../../../ui/Note.tsx"
import { HttpFields } from "./HttpFields.tsx"
import type { ServerFormValues } from "./server-form.ts"
import { splitCommandLine } from "./split-command-line.ts"

interface ServerFormProps {
  initial: ServerFormValues
  /** The integration being edited; null for a new one, which needs a name. */
  before: IntegrationSummary | null
  submit: string
  error: unknown
  busy: boolean
  onSubmit: (values: ServerFormValues) => void
  onCancel: () => void
  children?: ReactNode
}

const fields = ["name", "target.url", "target.command", "env", "token", "clientId", "clientSecret"]

/** A server's address and credentials. The input stays if the box refuses it. */
export function ServerForm({
  initial,
  before,
  submit,
  error,
  busy,
  onSubmit,
  onCancel,
  children,
}: ServerFormProps) {
  const [values, setValues] = useState(initial)
  const change = (part: Partial<ServerFormValues>) => setValues({ ...values, ...part })
  const commandField = useRef<HTMLInputElement>(null)
  const issues = getIssues(error, fields)
  const { kind, name, command, args, env, url } = values
  // The address comes from the catalogue.
  const isFixed = before?.group === "integration" && before.setup !== "address"
  const isComplete =
    (before !== null || name.trim() !== "") && (kind === "http" ? url : command).trim() !== ""
  /** A pasted command line fills the program and its arguments, whichever field it is pasted into. */
  function onPaste(event: ClipboardEvent) {
    const [program = "", ...rest] = splitCommandLine(event.clipboardData.getData("text"))
    if (rest.length === 0 || command !== "" || args !== "") return
    event.preventDefault()
    flushSync(() => change({ kind: "command", command: program, args: rest.join("\n") }))
    commandField.current?.focus()
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(values)
      }}
    >
      {children}
      {before === null && (
        <TextField
          label={t("integrations:form.name")}
          value={name}
          maxLength={40}
          onChange={(event) => change({ name: event.target.value })}
          error={issues["name"]}
        />
      )}
      {!isFixed && (
        <SelectField
          label={t("integrations:form.kind")}
          value={kind}
          onChange={(event) => change({ kind: event.target.value === "http" ? "http" : "command" })}
        >
          <option value="http">{t("integrations:form.kinds.http")}</option>
          <option value="command">{t("integrations:form.kinds.command")}</option>
        </SelectField>
      )}
      {kind === "http" ? (
        <HttpFields
          values={values}
          before={before}
          issues={issues}
          onChange={change}
          onPaste={isFixed ? undefined : onPaste}
        />
      ) : (
        <>
          <TextField
            ref={commandField}
            label={t("integrations:form.command")}
            hint={t("integrations:form.commandHint")}
            className="font-mono"
            value={command}
            onChange={(event) => change({ command: event.target.value })}
            onPaste={onPaste}
            error={issues["target.command"]}
          />
          <TextAreaField
            label={t("integrations:form.args")}
            hint={t("integrations:form.argsHint")}
            rows={3}
            spellCheck={false}
            value={args}
            onChange={(event) => change({ args: event.target.value })}
          />
          <TextAreaField
            label={t("integrations:form.env")}
            hint={
              before && before.environment.length > 0
                ? t("integrations:form.envKept", { names: before.environment.join(", ") })
                : t("integrations:form.envHint")
            }
            rows={2}
            spellCheck={false}
            value={env}
            onChange={(event) => change({ env: event.target.value })}
            error={issues["env"]}
          />
        </>
      )}
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <DialogActions>
        <Button onClick={onCancel}>{t("common:cancel")}</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={!isComplete}>
          {submit}
        </Button>
      </DialogActions>
    </form>
  )
}

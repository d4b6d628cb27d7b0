import { t } from "i18next"
import { ExternalLink } from "lucide-react"
import { type ClipboardEvent, useRef, useState, type ReactNode } from "react"
import { flushSync } from "react-dom"
import type { z } from "zod"
import type {
  IntegrationSummary,
  ServerChange,
  ServerTarget,
} from "../../../../shared/contract/integrations.ts"
import { useAddServer, useUpdateServer } from "../../../data/integrations.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField, SelectField, TextAreaField } from "../../../ui/controls/Field.tsx"
import { DialogActions, Dialog } from "../../../ui/layers/Dialog.tsx"
import { ForeignLink } from "../../../ui/text/ForeignLink.tsx"
import { LinkDialog } from "../LinkDialog.tsx"

/** The form's values. Secrets that are already set are shown empty and stay unchanged if left empty. */
interface ServerFormValues {
  name: string
  kind: ServerTarget["kind"]
  url: string
  command: string
  /** One per line. */
  args: string
  /** `NAME=value`, one per line. */
  env: string
  token: string
  clientId: string
  clientSecret: string
}

const emptyForm: ServerFormValues = {
  name: "",
  kind: "http",
  url: "",
  command: "",
  args: "",
  env: "",
  token: "",
  clientId: "",
  clientSecret: "",
}

function toForm({ name, target, clientId }: IntegrationSummary): ServerFormValues {
  return {
    ...emptyForm,
    name,
    clientId: clientId ?? "",
    ...(target?.kind === "http" ? { kind: "http", url: target.url } : {}),
    ...(target?.kind === "command"
      ? { kind: "command", command: target.command, args: target.args.join("\n") }
      : {}),
  }
}

function toTarget({ kind, url, command, args }: ServerFormValues): ServerTarget {
  if (kind === "http") return { kind, url: url.trim() }
  return { kind, command: command.trim(), args: lines(args) }
}

/** Returns the credentials to change. Empty fields change nothing, except the client id, which is shown. */
function toCredentials(
  values: ServerFormValues,
  before: IntegrationSummary | null,
): Omit<z.input<typeof ServerChange>, "target"> {
  const { kind, env, token, clientId, clientSecret } = values
  if (kind === "command") return env.trim() === "" ? {} : { env: variables(env) }
  const id = clientId.trim()
  return {
    ...(token.trim() === "" ? {} : { token: token.trim() }),
    ...(id === (before?.clientId ?? "") ? {} : { clientId: id === "" ? null : id }),
    ...(clientSecret.trim() === "" ? {} : { clientSecret: clientSecret.trim() }),
  }
}

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .filter((line) => line !== "")

/** A line without `=` is a name without a value; the box then reports what is wrong with it. */
const variables = (text: string): Record<string, string> =>
  Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf("=")
      return at === -1 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1)]
    }),
  )

/**
 * Splits a command line into words as a shell would: quotes keep words together, and a backslash escapes a space or a quote. Any other
 * backslash is kept, as in Windows paths.
 */
export function splitCommandLine(line: string): string[] {
  const word = /(?:"(?:\\"|[^"])*"|'[^']*'|\\[\s"']|[^\s"'])+/g
  return (line.match(word) ?? []).map((text) =>
    text.replaceAll(
      /"((?:\\"|[^"])*)"|'([^']*)'|\\([\s"'])/g,
      (_, double?: string, single?: string, kept?: string) =>
        double?.replaceAll('\\"', '"') ?? single ?? kept ?? "",
    ),
  )
}

interface HttpFieldsProps {
  values: ServerFormValues
  before: IntegrationSummary | null
  issues: Record<string, string | undefined>
  onChange: (part: Partial<ServerFormValues>) => void
  onPaste?: ((event: ClipboardEvent) => void) | undefined
}

/** A server's address, and its credentials if a plain sign-in isn't enough. */
function HttpFields({ values, before, issues, onChange, onPaste }: HttpFieldsProps) {
  const setup = before?.setup ?? "none"
  const isSet = issues["token"] ?? issues["clientId"] ?? issues["clientSecret"]
  const opened = setup === "client" || setup === "token" || isSet !== undefined
  const kept = (isStored: boolean | undefined) => (isStored ? t("integrations:form.kept") : undefined)
  return (
    <>
      <TextField
        label={t("integrations:form.url")}
        placeholder={t("integrations:form.urlPlaceholder")}
        inputMode="url"
        value={values.url}
        onChange={(event) => onChange({ url: event.target.value })}
        onPaste={onPaste}
        error={issues["target.url"]}
      />
      <details open={opened} className="text-sm">
        <summary className="cursor-pointer text-soft">{t("integrations:form.more")}</summary>
        <div className="mt-3 flex flex-col gap-4">
          <TextField
            label={t("integrations:form.token")}
            hint={kept(before?.hasToken) ?? t("integrations:form.tokenHint")}
            type="password"
            value={values.token}
            onChange={(event) => onChange({ token: event.target.value })}
            error={issues["token"]}
          />
          <TextField
            label={t("integrations:form.clientId")}
            hint={before ? t("integrations:form.clientHint", { address: before.redirectUrl }) : undefined}
            value={values.clientId}
            onChange={(event) => onChange({ clientId: event.target.value })}
            error={issues["clientId"]}
          />
          <TextField
            label={t("integrations:form.clientSecret")}
            hint={kept(before?.hasClientSecret)}
            type="password"
            value={values.clientSecret}
            onChange={(event) => onChange({ clientSecret: event.target.value })}
            error={issues["clientSecret"]}
          />
        </div>
      </details>
    </>
  )
}

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

const serverFields = ["name", "target.url", "target.command", "env", "token", "clientId", "clientSecret"]

/** A server's address and credentials. The input stays if the box refuses it. */
function ServerForm({ initial, before, submit, error, busy, onSubmit, onCancel, children }: ServerFormProps) {
  const [values, setValues] = useState(initial)
  const change = (part: Partial<ServerFormValues>) => setValues({ ...values, ...part })
  const commandField = useRef<HTMLInputElement>(null)
  const issues = getIssues(error, serverFields)
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

/** Adds a server, then connects it. */
export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const add = useAddServer()
  if (add.data) return <LinkDialog integration={add.data.integration} onClose={onClose} />
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("integrations:add.title")}
      description={t("integrations:add.description")}
    >
      <ServerForm
        initial={emptyForm}
        before={null}
        submit={t("integrations:add.submit")}
        error={add.error}
        busy={add.isPending}
        onSubmit={(values) =>
          add.mutate({ name: values.name.trim(), target: toTarget(values), ...toCredentials(values, null) })
        }
        onCancel={onClose}
      />
    </Dialog>
  )
}

interface EditServerDialogProps {
  integration: IntegrationSummary
  onClose: () => void
}

/** Edits an integration's address and credentials, then connects it again. */
export function EditServerDialog({ integration, onClose }: EditServerDialogProps) {
  const { key, name, setup, documentation, linkedAt } = integration
  const update = useUpdateServer(key)
  if (update.data) return <LinkDialog integration={update.data.integration} onClose={onClose} />
  return (
    <Dialog open onClose={onClose} title={t("integrations:editTitle", { name })}>
      <ServerForm
        initial={toForm(integration)}
        before={integration}
        submit={t("integrations:save")}
        error={update.error}
        busy={update.isPending}
        onSubmit={(values) =>
          update.mutate({ target: toTarget(values), ...toCredentials(values, integration) })
        }
        onCancel={onClose}
      >
        {setup !== "none" && <p className="text-sm text-soft">{t(`integrations:help.${setup}`, { name })}</p>}
        {documentation !== null && (
          <ForeignLink
            address={documentation}
            className="inline-flex items-center gap-1.5 self-start text-sm text-accent hover:underline"
          >
            {t("integrations:documentation", { name })} <ExternalLink className="size-3.5" aria-hidden />
          </ForeignLink>
        )}
        {linkedAt !== null && <Note>{t("integrations:editUnlinks")}</Note>}
      </ServerForm>
    </Dialog>
  )
}

import { t } from "i18next"
import { Check, Copy } from "lucide-react"
import { useState } from "react"
import type { ApiKey } from "../../../shared/contract/accounts.ts"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { boxAddress } from "../../lib/box.ts"
import { copyText } from "../../lib/browser/clipboard.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Note } from "../../ui/Note.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"
import { scopeName, useCreateKey } from "./keys.ts"

/** The environment variable that the examples read the key from. The key is never in the command itself, because shells keep a history. */
const variable = "CASELLA_API_KEY"

/** Shows a new key once, with an example of its use. Closing asks for confirmation if the key wasn't copied. */
function CreatedKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)
  async function copy() {
    await copyText(value)
    setCopied(true)
  }
  const close = () => (copied || warned ? onClose() : setWarned(true))
  const address = `${boxAddress()}/api/public/me`
  return (
    <Dialog
      open
      onClose={close}
      title={t("settings:keys.createdTitle")}
      description={t("settings:keys.createdDescription")}
    >
      <code
        translate="no"
        onCopy={() => setCopied(true)}
        className="block rounded-md border border-line bg-well px-3 py-2.5 font-mono text-sm break-all select-all"
      >
        {value}
      </code>
      <details className="mt-4 text-sm">
        <summary className="w-fit rounded text-soft hover:text-ink">
          {t("settings:keys.howToUse", { variable })}
        </summary>
        <div className="mt-2 flex flex-col gap-2">
          <CommandLine command={`curl ${address} -H "x-api-key: $${variable}"`} />
          <CommandLine
            command={`import os, requests\nrequests.get("${address}", headers={"x-api-key": os.environ["${variable}"]}).json()`}
          />
          <p className="text-soft">
            <a
              href="/api/docs"
              target="_blank"
              rel="noreferrer"
              className="rounded text-accent underline underline-offset-2"
            >
              {t("settings:keys.docs")}
            </a>
          </p>
        </div>
      </details>
      {warned && !copied && (
        <div className="mt-4" role="alert">
          <Note kind="warning">{t("settings:keys.notCopied")}</Note>
        </div>
      )}
      <DialogActions>
        <Button variant={copied ? "secondary" : "primary"} data-focus-first onClick={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
          {t(copied ? "common:copied" : "settings:copy")}
        </Button>
        <Button variant={copied ? "primary" : "secondary"} onClick={close}>
          {t(warned && !copied ? "settings:keys.closeUncopied" : "settings:done")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Creates a key and shows it once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateKey()
  if (create.data) return <CreatedKey value={create.data.key} onClose={onClose} />
  return (
    <Dialog open onClose={onClose} title={t("settings:keys.newTitle")}>
      <KeyForm onSubmit={create.mutate} onCancel={onClose} error={create.error} busy={create.isPending} />
    </Dialog>
  )
}

interface KeyFormProps {
  onSubmit: (draft: { name: string; scopes: Scope[] | null; kind: ApiKey["kind"] }) => void
  onCancel: () => void
  error: unknown
  busy: boolean
}

function KeyForm({ onSubmit, onCancel, error, busy }: KeyFormProps) {
  const [name, setName] = useState("")
  const [limited, setLimited] = useState(true)
  const [scopes, setScopes] = useState<Scope[]>([])
  const [kind, setKind] = useState<ApiKey["kind"]>("box")
  const issues = getIssues(error, ["name", "scopes"])
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit({ name, scopes: limited ? scopes : null, kind })
      }}
    >
      <TextField
        label={t("settings:name")}
        placeholder={t("settings:keys.namePlaceholder")}
        value={name}
        maxLength={120}
        onChange={(event) => setName(event.target.value)}
        error={issues["name"]}
      />
      <fieldset className="flex flex-col gap-2 text-sm">
        <legend className="mb-1.5 font-medium">{t("settings:keys.mayDo")}</legend>
        <label className="flex items-center gap-2">
          <input
            type="radio"
            name="rights"
            checked={!limited}
            onChange={() => setLimited(false)}
            className="accent-solid"
          />
          {t("settings:keys.everything")}
        </label>
        <label className="flex items-center gap-2">
          <input
            type="radio"
            name="rights"
            checked={limited}
            onChange={() => setLimited(true)}
            className="accent-solid"
          />
          {t("settings:keys.only")}
        </label>
        {Scope.options.map((scope) => (
          <label key={scope} className={`ml-6 flex items-center gap-2 ${limited ? "" : "opacity-50"}`}>
            <input
              type="checkbox"
              disabled={!limited}
              checked={scopes.includes(scope)}
              onChange={() =>
                setScopes(
                  scopes.includes(scope) ? scopes.filter((other) => other !== scope) : [...scopes, scope],
                )
              }
              className="accent-solid"
            />
            {scopeName(scope)}
          </label>
        ))}
        {name.trim() !== "" && limited && scopes.length === 0 && (
          <output className="block text-xs text-soft">{t("settings:keys.tickOne")}</output>
        )}
        {issues["scopes"] !== undefined && <p className="text-xs text-danger">{issues["scopes"]}</p>}
      </fieldset>
      <SelectField
        label={t("settings:keys.kind")}
        hint={t(`settings:keys.kindHint.${kind}`)}
        value={kind}
        onChange={(event) => setKind(event.target.value === "embedded" ? "embedded" : "box")}
      >
        <option value="box">{t("settings:keys.kinds.box")}</option>
        <option value="embedded">{t("settings:keys.kinds.embedded")}</option>
      </SelectField>
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <DialogActions>
        <Button onClick={onCancel}>{t("common:cancel")}</Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabled={name.trim() === "" || (limited && scopes.length === 0)}
        >
          {t("settings:keys.create")}
        </Button>
      </DialogActions>
    </form>
  )
}

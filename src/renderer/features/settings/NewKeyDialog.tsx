import { t } from "i18next"
import { useState } from "react"
import type { ApiKey } from "../../../shared/contract/accounts.ts"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { SelectField, TextField } from "../../ui/controls/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { CreatedKey } from "./CreatedKey.tsx"
import { scopeName, useCreateKey } from "./keys.ts"

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

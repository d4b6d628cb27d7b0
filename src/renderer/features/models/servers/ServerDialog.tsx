import { t } from "i18next"
import { useId, useState } from "react"
import type { ModelServer } from "../../../../shared/contract/model-servers.ts"
import { useAddServer, useChangeServer } from "../../../data/models/model-settings.ts"
import { useChooseModel, useInstalledModels } from "../../../data/models/models.ts"
import { showError } from "../../../lib/toasts.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField, TextAreaField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"

/** The most common addresses, with programs on this computer first. */
const usualAddresses = [
  "http://127.0.0.1:11434/v1",
  "http://127.0.0.1:1234/v1",
  "http://127.0.0.1:8080/v1",
  "https://api.openai.com/v1",
  "https://openrouter.ai/api/v1",
  "https://api.mistral.ai/v1",
]

interface AddressFieldProps {
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** A model server's address. */
export function AddressField({ value, error, onChange }: AddressFieldProps) {
  const addresses = useId()
  return (
    <>
      <TextField
        label={t("models:servers.url")}
        hint={t("models:servers.urlHint")}
        value={value}
        maxLength={2000}
        inputMode="url"
        list={addresses}
        onChange={(event) => onChange(event.target.value)}
        error={error}
      />
      <datalist id={addresses}>
        {usualAddresses.map((address) => (
          <option key={address} value={address}>
            {address}
          </option>
        ))}
      </datalist>
    </>
  )
}

interface ServerDialogProps {
  /** The server to edit; omitted to add a new one. */
  server?: ModelServer
  onClose: () => void
}

/** A server's address, its name and its key, which is never shown again. */
export function ServerDialog({ server, onClose }: ServerDialogProps) {
  const [form, setForm] = useState({
    name: server?.name ?? "",
    url: server?.url ?? "",
    apiKey: "",
    models: "",
  })
  const [forgetsKey, setForgetsKey] = useState(false)
  const add = useAddServer()
  const change = useChangeServer(server?.id ?? "")
  const saving = server ? change : add
  const choice = useInstalledModels().data?.choice
  const choose = useChooseModel()
  const issues = getIssues(saving.error, ["name", "url", "apiKey", "models"])
  const edit = (part: Partial<typeof form>) => setForm({ ...form, ...part })
  const key = form.apiKey.trim()
  const movesAway = server?.hasKey === true && key === "" && !sameOrigin(server.url, form.url)

  /** The first added model is used immediately if it is the only one. */
  function added({ server: { models } }: { server: ModelServer }) {
    const [only, ...others] = models
    if (choice?.chat.chosenId === null && only && others.length === 0)
      choose.mutate({ role: "chat", modelId: only.id }, { onError: showError })
    onClose()
  }

  function submit() {
    const names = form.models.split("\n").flatMap((line) => line.trim() || [])
    const body = {
      name: form.name.trim(),
      url: form.url.trim(),
      ...(names.length > 0 && { models: names }),
      ...(key !== "" && { apiKey: key }),
    }
    if (server === undefined) add.mutate(body, { onSuccess: added })
    else change.mutate({ ...body, ...(forgetsKey && key === "" && { apiKey: null }) }, { onSuccess: onClose })
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={server ? t("models:servers.changeTitle", { name: server.name }) : t("models:servers.addTitle")}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label={t("models:servers.name")}
          value={form.name}
          maxLength={80}
          onChange={(event) => edit({ name: event.target.value })}
          error={issues["name"]}
        />
        <AddressField value={form.url} error={issues["url"]} onChange={(url) => edit({ url })} />
        <TextField
          label={t("models:servers.key")}
          hint={server?.hasKey === true ? t("models:servers.keyKept") : t("models:servers.keyHint")}
          type="password"
          autoComplete="off"
          value={form.apiKey}
          maxLength={8000}
          onChange={(event) => edit({ apiKey: event.target.value })}
          error={issues["apiKey"]}
        />
        {server?.hasKey === true && key === "" && (
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={forgetsKey}
              onChange={() => setForgetsKey(!forgetsKey)}
              className="size-4 accent-solid"
            />
            {t("models:servers.forgetKey")}
          </label>
        )}
        {movesAway && <Note kind="warning">{t("models:servers.keyStays")}</Note>}
        <TextAreaField
          label={t("models:servers.names")}
          hint={t("models:servers.namesHint")}
          value={form.models}
          rows={2}
          onChange={(event) => edit({ models: event.target.value })}
          error={issues["models"]}
        />
        <Note kind="quiet">{t("models:servers.sees")}</Note>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={saving.isPending}
            disabled={form.name.trim() === "" || form.url.trim() === ""}
          >
            {server ? t("models:servers.save") : t("models:servers.add")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const sameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin

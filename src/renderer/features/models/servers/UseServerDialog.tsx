import { t } from "i18next"
import { useEffect, useRef, useState } from "react"
import type { ModelServer } from "../../../../shared/contract/model-servers.ts"
import { useChooseModel } from "../../../data/models/models.ts"
import { useAddServer, useChangeServer, useRemoveServer } from "../../../data/models/model-settings.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"
import { AddressField } from "./ServerDialog.tsx"

/**
 * Starts using a server's model: asks for the address and the key, then for one of its models. A server that can't be used is removed
 * again.
 */
export function UseServerDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ url: "", apiKey: "", model: "" })
  /** The server as added, even if it can't be used. */
  const [server, setServer] = useState<ModelServer>()
  const add = useAddServer()
  const change = useChangeServer(server?.id ?? "")
  const remove = useRemoveServer(server?.id ?? "")
  const choose = useChooseModel()
  const asking = server ? change : add
  const answers = server?.state === "reachable"
  const models = answers ? server.models : []
  const issues: Record<string, string | undefined> = {
    ...(server && !answers ? getProblem(server) : {}),
    ...getIssues(asking.error, ["url", "apiKey", "models"]),
    ...getIssues(choose.error, []),
  }
  const fields = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const find = (what: string) => fields.current?.querySelector<HTMLElement>(what)
    if (server || asking.error) (find("[aria-invalid=true]") ?? find("select, input"))?.focus()
  }, [server, asking.error])
  const isBusy = asking.isPending || choose.isPending

  function edit(part: Partial<typeof form>) {
    setForm({ ...form, ...part })
    asking.reset()
    choose.reset()
  }

  function reached(known: ModelServer) {
    setServer(known)
    setForm({ ...form, model: known.models[0]?.id ?? "" })
  }

  function ask() {
    const url = form.url.trim()
    const apiKey = form.apiKey.trim()
    const body = { name: getName(url), url, ...(apiKey !== "" && { apiKey }) }
    if (server) change.mutate(body, { onSuccess: ({ server: known }) => reached(known) })
    else add.mutate(body, { onSuccess: ({ server: known }) => reached(known) })
  }

  const use = (modelId: string) => choose.mutate({ role: "chat", modelId }, { onSuccess: onClose })

  /** Uses a model that the server doesn't list. */
  function useNamed() {
    const models = [form.model.trim()]
    change.mutate({ models }, { onSuccess: ({ server: { models: all } }) => all[0] && use(all[0].id) })
  }

  function submit() {
    if (!answers) ask()
    else if (models.length > 0) use(form.model)
    else useNamed()
  }

  function close() {
    if (server) remove.mutate()
    onClose()
  }

  return (
    <Dialog open onClose={close} title={t("models:useServer.title")} description={t("models:useServer.text")}>
      <form
        ref={fields}
        className="flex flex-col gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {!answers && (
          <>
            <AddressField value={form.url} error={issues["url"]} onChange={(url) => edit({ url })} />
            <TextField
              label={t("models:servers.key")}
              hint={t("models:servers.keyHint")}
              type="password"
              autoComplete="off"
              value={form.apiKey}
              maxLength={8000}
              onChange={({ target }) => edit({ apiKey: target.value })}
              error={issues["apiKey"]}
            />
          </>
        )}
        {answers && (
          <ServerModelField
            server={server}
            value={form.model}
            error={issues["models"]}
            onChange={(model) => edit({ model })}
          />
        )}
        <Note kind="quiet">{t("models:servers.sees")}</Note>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={close}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={isBusy}
            disabled={(answers ? form.model : form.url).trim() === ""}
          >
            {answers ? t("models:useServer.use") : t("models:useServer.connect")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface ServerModelFieldProps {
  server: ModelServer
  value: string
  error: string | undefined
  onChange: (model: string) => void
}

/** Chooses one of a server's models; a text field if the server lists none. */
function ServerModelField({ server: { name, models }, value, error, onChange }: ServerModelFieldProps) {
  if (models.length === 0) {
    return (
      <TextField
        label={t("models:useServer.name")}
        hint={t("models:useServer.listsNone", { name })}
        value={value}
        maxLength={300}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
    )
  }
  return (
    <SelectField
      label={t("models:useServer.model")}
      hint={t("models:useServer.found", { count: models.length, name })}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {models.map((model) => (
        <option key={model.id} value={model.id}>
          {model.name}
        </option>
      ))}
    </SelectField>
  )
}

/** Default name of a server: its host. */
const getName = (url: string): string => (URL.canParse(url) ? new URL(url).host || url : url).slice(0, 80)

/** Returns why a server can't be used, by the field to change. */
function getProblem({ hasKey, state, problem, sentence }: ModelServer): { url?: string; apiKey?: string } {
  if (state === "unauthorized")
    return { apiKey: hasKey ? t("models:useServer.refused") : t("models:useServer.wantsKey") }
  const said = problem === null ? t(`models:servers.state.${state}`) : toPageLanguage(problem, sentence)
  return { url: said }
}

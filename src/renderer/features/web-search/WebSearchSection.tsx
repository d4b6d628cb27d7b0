import { t } from "i18next"
import { useState } from "react"
import type { WebSearchChoice, WebSearchSettings, Settings } from "../../../shared/contract/settings.ts"
import { useChangeSettings, useSettings } from "../../data/settings.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"

type Provider = WebSearchChoice["provider"]
const providers: Provider[] = ["duckduckgo", "brave", "searxng", "off"]

/** Chooses the search provider. Its key can be set but is never shown again. */
function WebSearchForm({ stored }: { stored: WebSearchSettings }) {
  const [provider, setProvider] = useState(stored.provider)
  const [url, setUrl] = useState(stored.url ?? "")
  const [apiKey, setApiKey] = useState("")
  const change = useChangeSettings()
  const issues = getIssues(change.error, ["webSearch.url", "webSearch.apiKey"])
  const hasStoredKey = stored.hasApiKey && provider === stored.provider
  const changed = provider !== stored.provider || url.trim() !== (stored.url ?? "") || apiKey !== ""

  function save(choice: WebSearchChoice) {
    change.mutate(
      { webSearch: choice },
      {
        onSuccess: () => {
          setApiKey("")
          showToast(t("webSearch:saved"))
        },
      },
    )
  }

  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const key = apiKey.trim()
        save({
          provider,
          ...(provider === "searxng" ? { url: url.trim() } : {}),
          ...(provider === "brave" && key !== "" ? { apiKey: key } : {}),
        })
      }}
    >
      <div className="flex w-full flex-col gap-3">
        <SelectField
          label={t("webSearch:provider")}
          hint={t(`webSearch:hint.${provider}`)}
          value={provider}
          onChange={(event) => setProvider(event.target.value as Provider)}
        >
          {providers.map((name) => (
            <option key={name} value={name}>
              {t(`webSearch:name.${name}`)}
            </option>
          ))}
        </SelectField>
        {provider === "searxng" && (
          <TextField
            label={t("webSearch:address")}
            hint={t("webSearch:addressHint")}
            type="url"
            value={url}
            maxLength={500}
            required
            onChange={(event) => setUrl(event.target.value)}
            error={issues["webSearch.url"]}
          />
        )}
        {provider === "brave" && (
          <TextField
            label={t("webSearch:key")}
            hint={hasStoredKey ? t("webSearch:keyKept") : t("webSearch:keyHint")}
            type="password"
            autoComplete="off"
            value={apiKey}
            maxLength={200}
            required={!hasStoredKey}
            onChange={(event) => setApiKey(event.target.value)}
            error={issues["webSearch.apiKey"]}
          />
        )}
      </div>
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <div className="flex gap-2">
        <Button type="submit" busy={change.isPending} disabled={!changed}>
          {t("webSearch:save")}
        </Button>
        {provider === "brave" && hasStoredKey && (
          <Button
            variant="quiet"
            disabled={change.isPending}
            onClick={() => save({ provider, apiKey: null })}
          >
            {t("webSearch:removeKey")}
          </Button>
        )}
      </div>
      <LeaveQuestion unsaved={changed} />
    </form>
  )
}

/** The web search provider for assistants. */
export function WebSearchSection() {
  const { data: settings, error } = useSettings()
  return (
    <SettingsGroup title={t("webSearch:section")} description={t("webSearch:description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {!settings && !error && <Spinner label={t("common:loading")} />}
      {settings && <Loaded {...settings} />}
    </SettingsGroup>
  )
}

/** Input belongs to the settings that it started from. New settings reset the form. */
const Loaded = ({ webSearch }: Settings) => (
  <WebSearchForm key={JSON.stringify(webSearch)} stored={webSearch} />
)

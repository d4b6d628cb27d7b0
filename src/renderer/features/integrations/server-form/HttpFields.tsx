import { t } from "i18next"
import type { ClipboardEvent } from "react"
import type { IntegrationSummary } from "../../../../shared/contract/integrations.ts"
import { TextField } from "../../../ui/controls/Field.tsx"
import type { ServerFormValues } from "./server-form.ts"

interface HttpFieldsProps {
  values: ServerFormValues
  before: IntegrationSummary | null
  issues: Record<string, string | undefined>
  onChange: (part: Partial<ServerFormValues>) => void
  onPaste?: ((event: ClipboardEvent) => void) | undefined
}

/** A server's address, and its credentials if a plain sign-in isn't enough. */
export function HttpFields({ values, before, issues, onChange, onPaste }: HttpFieldsProps) {
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

import { t } from "i18next"
import { ExternalLink } from "lucide-react"
import type { IntegrationSummary } from "../../../../shared/contract/integrations.ts"
import { useUpdateServer } from "../../../data/integrations.ts"
import { Dialog } from "../../../ui/layers/Dialog.tsx"
import { ForeignLink } from "../../../ui/text/ForeignLink.tsx"
import { Note } from "../../../ui/Note.tsx"
import { LinkDialog } from "../LinkDialog.tsx"
import { toCredentials, toForm, toTarget } from "./server-form.ts"
import { ServerForm } from "./ServerForm.tsx"

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

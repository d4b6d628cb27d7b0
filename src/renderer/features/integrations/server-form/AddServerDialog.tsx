import { t } from "i18next"
import { useAddServer } from "../../../data/integrations.ts"
import { Dialog } from "../../../ui/layers/Dialog.tsx"
import { LinkDialog } from "../LinkDialog.tsx"
import { toCredentials, emptyForm, toTarget } from "./server-form.ts"
import { ServerForm } from "./ServerForm.tsx"

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

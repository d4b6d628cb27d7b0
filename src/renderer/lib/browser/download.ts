import { t } from "i18next"
import { showToast } from "../toasts.ts"
import { box, describeError } from "../box.ts"

/**
 * Has the browser download a path of the box itself, with a ticket: its request has no headers of the page's, and what the
 * page would fetch for it has to fit into memory.
 */
export async function download(path: string): Promise<void> {
  try {
    const link = document.createElement("a")
    link.href = (await box.account.download({ body: { path } })).path
    link.download = ""
    link.click()
  } catch (error) {
    showToast(t("common:downloadFailed", { reason: describeError(error) }), "error")
  }
}

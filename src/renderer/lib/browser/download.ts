import { t } from "i18next"
import { showToast } from "../toasts.ts"
import { box, describeError } from "../box.ts"

/**
 * Downloads a path of the box through the browser, with a ticket: the browser's request has none of the page's headers, and a fetch by the
 * page would have to fit into memory.
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

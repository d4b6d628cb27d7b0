import { t } from "i18next"
import { Copy, Download } from "lucide-react"
import { useHealth } from "../../data/health.ts"
import { describeError } from "../../lib/box.ts"
import { copyText } from "../../lib/browser/clipboard.ts"
import { saveFile, toFileName } from "../../lib/browser/save-file.ts"
import { showToast } from "../../lib/toasts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { flatten } from "./picture.ts"
import { reportPage, reportText, type WrittenReport } from "./report-document.ts"
import type { Report } from "./submit-report.ts"

/** Exports a report without any service, as a single file or as text. */
export function SaveReport({ take }: { take: () => Report | undefined }) {
  const { data: health } = useHealth()
  const keep = async (use: (report: WrittenReport) => Promise<void> | void): Promise<void> => {
    const report = take()
    if (!report) return
    try {
      // Blacked-out parts are removed here too.
      const screenshot = report.screenshot === null ? null : await flatten(report.screenshot)
      const context = [`Casella ${health?.version ?? ""}`.trim(), navigator.userAgent, report.page]
      await use({ ...report, screenshot, context: context.filter((piece) => piece !== "").join("\n") })
    } catch (error) {
      showToast(describeError(error), "error")
    }
  }
  return (
    <>
      <Button
        onClick={() =>
          void keep(async (report) => {
            await copyText(reportText(report))
            showToast(t("common:copied"))
          })
        }
      >
        <Copy aria-hidden /> {t("support:report.copy")}
      </Button>
      <Button
        onClick={() =>
          void keep((report) =>
            saveFile(`${toFileName(report.title, "report")}.html`, reportPage(report), "text/html"),
          )
        }
      >
        <Download aria-hidden /> {t("support:report.saveFile")}
      </Button>
    </>
  )
}

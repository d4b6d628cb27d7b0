import { t } from "i18next"
import type { SupportDraft } from "../../../shared/contract/support.ts"
import type { LogLine } from "../../../shared/contract/tickets.ts"

/** The report as sent, with a description of Casella's environment. */
export type WrittenReport = SupportDraft & { context: string }

/** Returns a report as text that can be pasted anywhere, without images and attachments. */
export function reportText(report: WrittenReport): string {
  const { type, title, description, context, uiLogs, serverLogs } = report
  return [
    `# ${title.trim()}`,
    t(`support:types.${type}`),
    description.trim(),
    context,
    ...logText(t("support:report.uiLogs"), uiLogs),
    ...logText(t("support:report.serverLogs"), serverLogs),
  ]
    .filter((piece) => piece !== "")
    .join("\n\n")
}

const lineText = ({ ts, level, message }: LogLine) => [ts, level, message].join(" ")

const logText = (name: string, lines: readonly LogLine[]): string[] =>
  lines.length === 0 ? [] : [`## ${name}\n\n${lines.map((line) => `    ${lineText(line)}`).join("\n")}`]

/** Returns a report as a single file for any browser, with its image and attachment. Nothing in it runs. */
export function reportPage(report: WrittenReport): string {
  const { title, screenshot, attachment } = report
  const pieces = [
    `<pre>${escaped(reportText(report))}</pre>`,
    ...(screenshot === null ? [] : [`<img src="${escaped(screenshot)}" alt="">`]),
    ...(attachment === null
      ? []
      : [
          `<p><a href="${escaped(attachment.dataUrl)}" download="${escaped(attachment.name)}">${escaped(attachment.name)}</a></p>`,
        ]),
  ]
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title.trim())}</title>
<style>body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem } pre { white-space: pre-wrap } img { max-width: 100% }</style>
${pieces.join("\n")}
`
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "")

import type { Strings } from "../strings/strings.ts"

const policy = "default-src 'none'; style-src 'unsafe-inline'"
const style =
  "body{font:15px/1.5 system-ui;max-width:28rem;margin:20vh auto;padding:0 1.5rem;color-scheme:light dark}" +
  "h1{font-size:1.25rem}"

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Address of a page that replaces one that keeps crashing. It needs no script and no server. */
export function failurePage(t: Strings, boxUrl: string, reason: string): string {
  const html = `<!doctype html><html lang="${t.language}"><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}"><title>Casella</title><style>${style}</style>
<h1>${escape(t("pageFailed"))}</h1><p>${escape(t("pageFailedDetail", { reason }))}</p>
<p><a href="${escape(boxUrl)}/">${escape(t("tryAgain"))}</a></p></html>`
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`
}

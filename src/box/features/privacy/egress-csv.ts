import type { Egress } from "../../../shared/contract/privacy.ts"

const columns: Record<string, (egress: Egress) => string | number | null> = {
  startedAt: (egress) => egress.startedAt,
  durationMs: (egress) => egress.durationMs,
  purpose: (egress) => egress.purpose,
  host: (egress) => egress.host,
  outcome: (egress) => egress.outcome,
  bytesSent: (egress) => egress.bytesSent,
  bytesReceived: (egress) => egress.bytesReceived,
  user: (egress) => egress.user?.name ?? null,
  chat: (egress) => egress.chat?.name ?? null,
  assistant: (egress) => egress.assistant?.name ?? null,
  tool: (egress) => egress.tool,
}

/** Connections as CSV (RFC 4180), piece by piece. A byte-order mark makes spreadsheets read it as UTF-8. */
export async function* egressCsv(pieces: AsyncIterable<Egress[]>): AsyncGenerator<string> {
  yield `\uFEFF${Object.keys(columns).map(cell).join(",")}\r\n`
  for await (const piece of pieces) yield piece.map(line).join("")
}

const line = (egress: Egress) =>
  `${Object.values(columns)
    .map((read) => cell(read(egress)))
    .join(",")}\r\n`

/** Spreadsheets run cells that begin like a formula; an apostrophe makes them text. */
function cell(value: string | number | null): string {
  const text = String(value ?? "")
  const inert = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return `"${inert.replaceAll('"', '""')}"`
}

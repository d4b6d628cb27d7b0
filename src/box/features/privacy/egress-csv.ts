import type { Egress } from "../../../shared/contract/privacy.ts"
import { csvLine, csvMark } from "../../../shared/words/csv.ts"

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

/** Connections as CSV, in pieces. */
export async function* egressCsv(pieces: AsyncIterable<Egress[]>): AsyncGenerator<string> {
  yield `${csvMark}${csvLine(Object.keys(columns))}\r\n`
  for await (const piece of pieces) yield piece.map(line).join("")
}

const line = (egress: Egress) => `${csvLine(Object.values(columns).map((read) => read(egress)))}\r\n`

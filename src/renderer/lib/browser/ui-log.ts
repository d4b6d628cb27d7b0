import type { LogLine } from "../../../shared/contract/tickets.ts"

const storageKey = "ui-log"
const maxLines = 100
const maxLengths = { message: 2000, src: 120 }

function read(): LogLine[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as LogLine[]
  } catch {
    return []
  }
}

function add(level: string, message: string, src?: string): void {
  const line: LogLine = {
    ts: new Date().toISOString(),
    level,
    message: message.slice(0, maxLengths.message),
    ...(src ? { src: src.slice(0, maxLengths.src) } : {}),
  }
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...read(), line].slice(-maxLines)))
  } catch {
    // storage is full: the report is sent without this entry
  }
}

const describe = (value: unknown): string =>
  value instanceof Error
    ? (value.stack ?? value.message)
    : typeof value === "string"
      ? value
      : JSON.stringify(value)

/** The page's own log for support reports, including entries from before a reload. */
export const uiLog = { read, add, error: (error: unknown) => add("error", describe(error)) }

/** Starts logging warnings, errors and page changes. */
export function startUiLog(): void {
  window.addEventListener("error", ({ message, filename, lineno, error }) =>
    add("error", error instanceof Error ? describe(error) : message, `${filename}:${lineno}`),
  )
  window.addEventListener("unhandledrejection", ({ reason }) => add("error", describe(reason), "promise"))
  window.addEventListener("hashchange", () =>
    add("info", `Screen ${window.location.hash.split("?", 1)[0] ?? ""}`),
  )
  for (const level of ["warn", "error"] as const) {
    const original = console[level]
    console[level] = (...values: unknown[]) => {
      add(level, values.map(describe).join(" "), "console")
      original(...values)
    }
  }
}

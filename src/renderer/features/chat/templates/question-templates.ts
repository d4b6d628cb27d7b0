import { t } from "i18next"
import {
  CalendarClock,
  CircleHelp,
  ListOrdered,
  type LucideIcon,
  ScrollText,
  Scale,
  Table,
} from "lucide-react"
import type { FactTable } from "../../../../shared/contract/chat.ts"

/** Maximum that the box accepts. */
export const maxColumns = 12
const maxLength = 60

/** Adds the typed columns, separated by commas, semicolons or line breaks. Each name is added only once. */
export function addColumns(columns: readonly string[], typed: string): string[] {
  const names = typed
    .split(/[,;\n]/)
    .map((name) => Array.from(name.trim()).slice(0, maxLength).join("").trim())
  return [...new Set([...columns, ...names.filter((name) => name !== "")])].slice(0, maxColumns)
}

/** A question that is answered from whole documents. */
export interface WholeQuestion {
  content: string
  /** The files that it is about; omitted: all files in the folders. */
  fileIds?: string[]
  table?: FactTable
}

/** In display order. */
export const templates = [
  { key: "summary", icon: ScrollText },
  { key: "timeline", icon: ListOrdered },
  { key: "deadlines", icon: CalendarClock },
  { key: "open", icon: CircleHelp },
  { key: "differences", icon: Scale },
  { key: "facts", icon: Table },
] as const satisfies { key: string; icon: LucideIcon }[]

export type TemplateKey = (typeof templates)[number]["key"]

/** Returns the question of a template that needs no further choices. */
export function createQuestion(key: Exclude<TemplateKey, "differences" | "facts">): WholeQuestion {
  const content = t(`templates:${key}.question`)
  if (key !== "deadlines") return { content }
  return {
    content,
    table: {
      columns: [t("templates:column.deadline"), t("templates:column.date"), t("templates:column.amount")],
    },
  }
}

export const createDifferencesQuestion = (files: readonly { id: string; name: string }[]): WholeQuestion => ({
  content: t("templates:differences.question", { one: files[0]?.name, other: files[1]?.name }),
  fileIds: files.map(({ id }) => id),
})

/** @param rows what each row is about; empty: anything that has these facts */
export function createFactsQuestion(columns: readonly string[], rows: string): WholeQuestion {
  const listed = columns.join(", ")
  return {
    content:
      rows === ""
        ? t("templates:facts.question", { columns: listed })
        : t("templates:facts.questionOf", { columns: listed, rows }),
    table: { columns: [...columns] },
  }
}

import { noteTask, type PartTask } from "./part-prompt.ts"
import { rowTask, columnsAsked } from "./table/fact-table.ts"
import { wantsList } from "./deciding/wants-whole.ts"

/** Returns the columns of the table that the question's wording asks for, or null if it asks for none. */
export const findColumns = (question: string): string[] | null =>
  wantsList(question) ? columnsAsked(question) : null

/** Returns what to note on each part: rows of the requested table, or statements. */
export const getTask = (question: string, columns: readonly string[] | null): PartTask =>
  columns ? rowTask(question, columns) : noteTask(question)

import { noteTask, type PartTask } from "./part-prompt.ts"
import { rowTask } from "./table/row-task.ts"
import { columnsAsked } from "./table/table-question.ts"
import { wantsList } from "./deciding/wants-whole.ts"

/** Columns of the table that a question asks for by its words; null: it wants none. */
export const columnsOf = (question: string): string[] | null =>
  wantsList(question) ? columnsAsked(question) : null

/** What is noted of each part for a question: rows of the table that it asks for, or statements. */
export const taskOf = (question: string, columns: readonly string[] | null): PartTask =>
  columns ? rowTask(question, columns) : noteTask(question)

/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const tables = {
  answer_too_large: "A single row of the result is too large. Select shorter texts.",
  being_made: "The tables of this folder are still being created. Try again in a minute.",
  folder_full:
    "The folder's tables already have too many columns to add this file's. Move files to other folders.",
  gone: "The tables are being created again. Try again later.",
  only_select: "Only a single SELECT statement is allowed.",
  only_tables: "The query reads something other than this folder's tables. Use only their names.",
  sql_too_long: "The SQL is longer than {{count, number}} characters. Shorten it.",
  sql_wrong: "The SQL can't be run: {{words}}",
  too_much_memory:
    "The query needed more than {{count, number}} MB of memory, so it was stopped. Ask for less at once.",
  too_slow: "The query took longer than {{count, number}} s, so it was stopped. Ask for less at once.",
} as const

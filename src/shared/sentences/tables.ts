/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const tables = {
  answer_too_large: "A single row of the answer is too large. Ask for shorter texts.",
  being_made: "Tables of this folder are still being made. Try again in a minute.",
  folder_full:
    "The folder's tables have too many columns for this file's as well. Move files to other folders.",
  gone: "The tables are being made anew. Try again in a while.",
  only_select: "Only one question that reads (a SELECT) is answered: nothing else, and not several.",
  only_tables: "The question reads something other than the tables of this folder. Use their names only.",
  sql_too_long: "The SQL is longer than {{count}} characters. Make it shorter.",
  sql_wrong: "The SQL can't be answered: {{words}}",
  too_much_memory:
    "The question needed more than {{count}} MB of memory and was ended. Ask for less at once.",
  too_slow: "The question took longer than {{count}} s and was ended. Ask for less at once.",
} as const

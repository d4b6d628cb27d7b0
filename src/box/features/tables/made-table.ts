import { z } from "zod"
import { TableColumn } from "../../../shared/contract/tables.ts"

/** A table in the database created from a document. */
export const MadeTable = z.object({
  /** Its name in the database. */
  key: z.string().max(20),
  sheet: z.string().nullable(),
  rows: z.int().min(0),
  columns: z.array(TableColumn),
})
export type MadeTable = z.infer<typeof MadeTable>

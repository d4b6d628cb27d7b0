import SqliteDatabase from "better-sqlite3"
import { copiedTables } from "../copy-rows.ts"

/** More rows than are copied in one batch. */
export const rowsOfEach = 450

interface Column {
  name: string
  type: string
}

/** Fills every table of a database with rows that differ in every column and refer to one another. */
export function fillRows(path: string): void {
  const sqlite = new SqliteDatabase(path)
  const insertAll = sqlite.transaction(() => {
    for (const table of copiedTables) {
      const columns = sqlite.pragma(`table_info("${table}")`) as Column[]
      const keys = sqlite.pragma(`foreign_key_list("${table}")`) as {
        from: string
        table: string
        to: string
      }[]
      const insert = sqlite.prepare(
        `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join()}) VALUES (${columns.map(() => "?").join()})`,
      )
      for (let number = 1; number <= rowsOfEach; number++)
        insert.run(
          columns.map(({ name, type }) => {
            const key = keys.find(({ from }) => from === name)
            const [of, column] = key ? [key.table, key.to] : [table, name]
            if (name === "removed") return number % 2
            if (type === "INTEGER") return number
            if (type === "REAL") return number + 0.25
            if (type === "BLOB") return Buffer.from([0, 255, number >> 8, number & 255])
            return `${of} ${column === "ownerId" ? "id" : column} ${number} è 漢 \u{1f600} \0 \ufffe`.replace(
              /^\w+ id/,
              "id",
            )
          }),
        )
    }
  })
  insertAll()
  sqlite.close()
}

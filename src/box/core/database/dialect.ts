import { PostgresAdapter, type Kysely } from "kysely"

/** Whether rows are on PostgreSQL: for the few statements that have no form that SQLite accepts too. */
export const isPostgres = (db: Pick<Kysely<unknown>, "getExecutor">): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

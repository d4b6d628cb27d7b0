import type { ChatTables } from "./chat-tables.ts"
import type { FileTables } from "./file-tables.ts"
import type { PeopleTables } from "./people-tables.ts"

/** Tables of the box as Kysely sees them; `migrations/` creates them. Booleans are 0 or 1, times ISO 8601 text. */
export interface DatabaseSchema extends PeopleTables, FileTables, ChatTables {}

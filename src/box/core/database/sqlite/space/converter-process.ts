import "../../../children/without-network.ts"
import SqliteDatabase from "better-sqlite3"
import { dropRights } from "../../../children/sandbox/give-up-rights.ts"
import { connectToParent } from "../../../children/parent.ts"
import { startWatchdog } from "../../../children/heartbeat.ts"
import type { ConversionReport } from "./convert-database.ts"

// Entry point of the process that rewrites a database so that it can return space from then on. Its argument is the path.

/** SQLite's cache uses 16 MB; more than this indicates a fault. */
const maxBytes = 512 * 2 ** 20

const [path = ""] = process.argv.slice(2)
const parent = connectToParent<never, ConversionReport>()
startWatchdog({ bytes: maxBytes })
const database = new SqliteDatabase(path, { fileMustExist: true })
dropRights()
database.pragma("synchronous = FULL")
database.pragma("temp_store = FILE") // otherwise everything would be in memory
database.pragma("cache_size = -16000")
database.pragma("auto_vacuum = INCREMENTAL")
database.exec("VACUUM")
database.pragma("wal_checkpoint(TRUNCATE)")
database.close()
parent.send({ converted: true })

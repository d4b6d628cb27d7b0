import "../../../children/without-network.ts"
import SqliteDatabase from "better-sqlite3"
import { giveUpRights } from "../../../children/walls/give-up-rights.ts"
import { connectToParent } from "../../../children/parent.ts"
import { startWatchdog } from "../../../children/watchdog.ts"
import type { ConversionReport } from "./convert-database.ts"

// Entry of the process that writes a database anew, so that it can give back room from then on. Its argument is the path.

/** SQLite's cache takes 16 MB; more than this is a fault. */
const mostBytes = 512 * 2 ** 20

const [path = ""] = process.argv.slice(2)
const parent = connectToParent<never, ConversionReport>()
startWatchdog({ bytes: mostBytes })
const database = new SqliteDatabase(path, { fileMustExist: true })
giveUpRights()
database.pragma("synchronous = FULL")
database.pragma("temp_store = FILE") // else all of it would be in memory
database.pragma("cache_size = -16000")
database.pragma("auto_vacuum = INCREMENTAL")
database.exec("VACUUM")
database.pragma("wal_checkpoint(TRUNCATE)")
database.close()
parent.send({ converted: true })

import "../../../core/children/without-network.ts"
import SqliteDatabase from "better-sqlite3"
import { startWatchdog } from "../../../core/children/watchdog.ts"
import { giveUpRights } from "../../../core/children/walls/give-up-rights.ts"
import { connectToParent } from "../../../core/children/parent.ts"
import type { JobMessage } from "../../../tools/job-process.ts"
import { answerQuery, type QueryAnswer, type QueryJob } from "./answer-query.ts"

// Entry of the process that answers SQL, which anybody may have written. Its argument is the resident memory, in bytes, above
// which it ends itself: the build of SQLite keeps no account of its own.

const parent = connectToParent<QueryJob, JobMessage<QueryAnswer>>()
startWatchdog({ bytes: Number(process.argv[2]) })
new SqliteDatabase(":memory:").close() // loads the native code, which can't be loaded afterwards
giveUpRights()
parent.onMessage((job) => parent.send({ type: "answer", answer: answerQuery(job) }))
parent.send({ type: "ready" })

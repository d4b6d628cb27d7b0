import "../../../core/children/without-network.ts"
import SqliteDatabase from "better-sqlite3"
import { startWatchdog } from "../../../core/children/heartbeat.ts"
import { dropRights } from "../../../core/children/sandbox/give-up-rights.ts"
import { connectToParent } from "../../../core/children/parent.ts"
import type { JobMessage } from "../../../tools/job-runner.ts"
import { answerQuery, type QueryAnswer, type QueryJob } from "./answer-query.ts"

// Entry point of the process that runs untrusted SQL. Its argument is the resident memory limit, in bytes, above which it exits; this
// SQLite build doesn't track its own memory.

const parent = connectToParent<QueryJob, JobMessage<QueryAnswer>>()
startWatchdog({ bytes: Number(process.argv[2]) })
new SqliteDatabase(":memory:").close() // Loads the native code now, because it can't be loaded later.
dropRights()
parent.onMessage((job) => parent.send({ type: "answer", answer: answerQuery(job) }))
parent.send({ type: "ready" })

import { setTimeout as wait } from "node:timers/promises"
import { AppError } from "../../shared/contract/errors.ts"
import { maxWait, QuestionDraft, type Question } from "../../shared/contract/questions.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { validationError } from "../http/error-response.ts"
import { type Command, type CommandFlags, UsageError } from "./command.ts"
import { callerFlags, withRunningBox, type RunningBox } from "./running-box.ts"
import { plainLine } from "./terminal.ts"

/** Time limit for the box to accept the question. */
const patienceMs = 10_000
/** Delay before another attempt to find a box that doesn't respond. */
const retryDelayMs = 500
/** How long to wait for an unreachable box after the question has expired. When it is back, it reports the result. */
const graceMs = 60_000
/** Exit statuses like those of `timeout`: no one answered in time; the command itself failed, which is no choice's index. */
const expired = 124
const failed = 125

/** Asks a user to choose, and waits for the answer, across restarts of the box. */
export const askCommand: Command = {
  words: ["ask"],
  takes: ["QUESTION"],
  summary: "Ask a person to choose (exit status: 0 for the first choice, 1 for the second, …)",
  flags: [
    { name: "choices", takes: "A,B…", about: "2 to 6 choices, separated by commas", required: true },
    {
      name: "default",
      takes: "CHOICE",
      about: "Choice if no one answers in time; without it, the exit status is 124",
    },
    { name: "timeout", takes: "SECONDS", about: "Time to wait, 10 to 604800 (default 600)" },
    { name: "description", takes: "TEXT", about: "Text below the question" },
    ...callerFlags,
  ],
  failureStatus: failed,
  async run(flags, [title = ""]) {
    const draft = readDraft(flags, title)
    const { status, answer } = await withRunningBox(flags, (box) => askPerson(box, draft), ["notify"])
    process.exitCode = answer === null ? expired : draft.choices.indexOf(answer)
    if (answer === null) process.stderr.write("No one answered in time.\n")
    else if (status === "expired") process.stderr.write("No one answered in time, so this is the default.\n")
    return answer === null ? [] : [plainLine(answer)]
  },
}

function readDraft(flags: CommandFlags, title: string): QuestionDraft {
  if (flags.choices === undefined) throw new UsageError("--choices is missing. Example: --choices yes,no")
  const { timeout = "600" } = flags
  const draft = QuestionDraft.safeParse({
    title,
    description: flags.description,
    choices: flags.choices.split(",").map((choice) => choice.trim()),
    default: flags.default,
    expiresInSeconds: /^\d+$/.test(timeout) ? Number(timeout) : timeout,
  })
  if (draft.success) return draft.data
  throw validationError(draft.error)
}

async function askPerson(box: RunningBox, body: QuestionDraft): Promise<Question> {
  const signal = AbortSignal.any([box.stopped, AbortSignal.timeout(patienceMs)])
  const { question } = await box.client.questions.ask({ body }, { signal })
  const until = performance.now() + body.expiresInSeconds * 1000 + graceMs
  for (;;) {
    const now = await ifThere(box, question.id)
    if (now && now.status !== "open") return now
    if (performance.now() > until)
      throw new TerminalError("unavailable", "Casella couldn't be reached, so the answer is unknown.")
    if (!now)
      await wait(retryDelayMs, undefined, { signal: box.stopped }).catch(() => box.stopped.throwIfAborted())
  }
}

/** Returns the question when it is decided, or after a while; null if no box can be reached. */
async function ifThere({ current, stopped }: RunningBox, id: string): Promise<Question | null> {
  // A little longer than the box's own wait, because a computer that slept may have lost the connection unnoticed.
  const lost = AbortSignal.timeout((maxWait + 10) * 1000)
  try {
    const input = { params: { id }, query: { wait: maxWait } }
    return (await current().questions.read(input, { signal: AbortSignal.any([stopped, lost]) })).question
  } catch (error) {
    stopped.throwIfAborted()
    if (lost.aborted || (error instanceof AppError && isForNow.has(error.code))) return null
    throw error
  }
}

/** Temporary errors of a box that is starting, stopping or busy. */
const isForNow: ReadonlySet<AppError["code"]> = new Set(["unavailable", "internal", "rate_limited"])

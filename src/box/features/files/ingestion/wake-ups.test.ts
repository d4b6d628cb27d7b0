import { expect, onTestFinished, test } from "vitest"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import type { Job } from "./job.ts"
import { createJobsInProgress, createSettleJob } from "./jobs-in-work.ts"
import { createPauses } from "./ingestion.ts"

const job: Job = {
  fileId: "a",
  folderId: "f",
  ownerId: "alice",
  name: "a.txt",
  subFolder: "",
  size: 1,
  storage: "local",
  object: null,
  revision: 1,
  attempts: 0,
  priority: 0,
  root: "/",
  pipeline: "full",
  readAs: null,
  marksHidden: false,
  readers: null,
  wantsPictures: false,
  wantsDescriptions: false,
  waiting: null,
}

// Catches a file that waits until something else is uploaded, because the disk had space again before its state was stored.
test("a file is read again if the pause for a full disk ends before the file is back in the queue", async () => {
  const events: string[] = []
  const works = createJobsInProgress(() => undefined)
  works.begin(job)
  const stored = Promise.withResolvers<void>()
  const settle = createSettleJob({
    queue: {
      awaitRoom: () => stored.promise,
      end: () => Promise.reject(new Error("not ended")),
      putBack: () => Promise.reject(new Error("not put back")),
      putOff: () => Promise.reject(new Error("not put off")),
    },
    works,
    logger: silentLogger,
    retryAfterMs: [0],
    changed: () => undefined,
    rest: () => events.push("rest"),
    wake: () => events.push(works.size === 0 ? "wake" : "wake too early"),
    signal: new AbortController().signal,
  })
  const settled = settle(job, Object.assign(new Error("full"), { code: "ENOSPC" }))
  expect(events).toEqual(["rest"])
  stored.resolve()
  await settled
  expect(events).toEqual(["rest", "wake"])
})

// Catches a postponed file that is retried only when something else wakes ingestion, because an earlier query for the next one was answered
// after a later one.
test("a postponed file is retried although an older answer about postponed files comes later", async () => {
  let woken = 0
  const answers: PromiseWithResolvers<number | null>[] = []
  const pauses = createPauses({
    queue: {
      nextRetry() {
        const answer = Promise.withResolvers<number | null>()
        answers.push(answer)
        return answer.promise
      },
      listRunning: () => Promise.resolve([]),
      putBack: () => Promise.resolve(),
    },
    works: createJobsInProgress(() => undefined),
    pauseMs: 60_000,
    isInPlace: () => true,
    start: (task) => void task(),
    wake: () => woken++,
    signal: new AbortController().signal,
  })
  onTestFinished(() => pauses[Symbol.dispose]())
  const before = pauses.awaitRetry()
  const after = pauses.awaitRetry()
  answers[1]?.resolve(Date.now())
  await after
  answers[0]?.resolve(null)
  await before
  await waitFor(() => expect(woken).toBe(1))
})

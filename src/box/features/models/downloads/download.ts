import type { ModelDownload } from "../../../../shared/contract/model-files.ts"
import type { JournalEntry } from "./download-journal.ts"
import { DownloadState } from "./download-state.ts"
import type { RunDeps } from "./run-download.ts"

export interface DownloadDeps extends RunDeps {
  entry: JournalEntry
  /** Where in the directory of models the finished file goes. */
  target: string
  /** Aborted when the box stops. */
  closing: AbortSignal
}

/** One download, which is written down whenever it changes in a way that must outlive the box. */
export interface Download {
  readonly state: Readonly<Pick<DownloadState, "status" | "target" | "isRunning" | "missingBytes">>
  show(): ModelDownload
  /** Writes down that it is wanted, and begins or goes on. */
  begin(): Promise<void>
  pause(): Promise<void>
  /** Ends it and deletes what has arrived; a finished file stays. */
  cancel(): Promise<void>
  /** Settles when nothing works on it. */
  ended(): Promise<void>
}

export async function openDownload(deps: DownloadDeps): Promise<Download> {
  const { entry, target, journal, changed, closing } = deps
  const state = new DownloadState(entry, target, journal)
  await state.lookAtDisk()
  let stop = new AbortController()
  let work: Promise<void> = Promise.resolve()

  /** What downloads is loaded with the first download. */
  async function run(signal: AbortSignal): Promise<void> {
    const { runDownload } = await import("./run-download.ts")
    await runDownload(state, deps, signal)
  }

  async function halt(): Promise<void> {
    stop.abort()
    await work
  }

  return {
    state,
    show: () => state.show(),
    async begin() {
      await state.note({ status: "downloading", error: null, sentence: undefined })
      await state.lookAtDisk()
      state.status = "downloading"
      stop = new AbortController()
      work = run(AbortSignal.any([stop.signal, closing]))
      changed(state.show())
    },
    async pause() {
      if (state.isRunning) await halt()
      if (!state.isRunning) return // it had ended, or did meanwhile
      await state.rest()
      changed(state.show())
    },
    async cancel() {
      await halt()
      await journal.remove(entry.id)
      changed({ ...state.show(), status: "cancelled" })
    },
    ended: () => work,
  }
}

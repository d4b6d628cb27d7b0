import { stat } from "node:fs/promises"
import type { ModelDownload } from "../../../../shared/contract/models.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { getModelId } from "../model-choice.ts"
import type { DownloadJournal, JournalEntry } from "./download-journal.ts"

const windowMs = 8_000
const sampleMs = 500

/** Measures the download speed over the last few seconds. */
function createSpeedMeter(now: () => number = () => performance.now()) {
  let samples: { at: number; bytes: number }[] = []
  return {
    /** `bytes`: total number of bytes that have arrived. */
    add(bytes: number): void {
      const at = now()
      const last = samples.at(-1)
      if (last && at - last.at < sampleMs) return
      samples = [...samples.filter((sample) => at - sample.at <= windowMs), { at, bytes }]
    },
    reset(): void {
      samples = []
    },
    bytesPerSecond(): number | null {
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last || last.at === first.at) return null
      return Math.round(((last.bytes - first.bytes) * 1_000) / (last.at - first.at))
    },
  }
}

/** State of a download: its journal entry, and data that only this run of the server needs. */
export class DownloadState {
  status: ModelDownload["status"]
  received = 0
  checkedBy: ModelDownload["checkedBy"] = null
  readonly target: string
  readonly partial: string
  readonly #meter = createSpeedMeter()
  #interruption: Sentence | null = null
  #entry: JournalEntry
  readonly #journal: DownloadJournal

  constructor(entry: JournalEntry, target: string, journal: DownloadJournal) {
    this.status = entry.status === "downloading" ? "paused" : entry.status
    this.target = target
    this.partial = journal.partial(entry.id)
    this.#entry = entry
    this.#journal = journal
  }

  get entry(): JournalEntry {
    return this.#entry
  }

  get isRunning(): boolean {
    return this.status === "downloading" || this.status === "checking"
  }

  get sizeBytes(): number | null {
    return this.#entry.expected.sizeBytes ?? this.#entry.remote.sizeBytes
  }

  /** Bytes that haven't arrived yet, as far as known. */
  get missingBytes(): number {
    return Math.max(0, (this.sizeBytes ?? 0) - this.received)
  }

  /** Pauses the download and keeps the bytes that have arrived. */
  async rest(): Promise<void> {
    this.status = "paused"
    await this.note({ status: "paused" })
  }

  /** Changes the entry and writes it to the journal. */
  async note(changes: Partial<JournalEntry>): Promise<void> {
    this.#entry = { ...this.#entry, ...changes }
    await this.#journal.write(this.#entry)
  }

  async updateReceived(): Promise<void> {
    this.received = await sizeOnDisk(this.partial)
  }

  arrived(bytes: number): void {
    this.received = bytes
    this.#meter.add(bytes)
  }

  /** Bytes arrive, for the first time or again. */
  connected(): void {
    this.interrupted(null)
  }

  interrupted(reason: Sentence | null): void {
    this.#meter.reset()
    this.#interruption = reason
  }

  show(): ModelDownload {
    const { id, name, repo, file, revision, error } = this.#entry
    const { status, checkedBy, sizeBytes, received, missingBytes } = this
    const interruption = status === "downloading" ? this.#interruption : null
    const sentence = interruption ? interruption.field.sentence : this.#entry.sentence
    const bytesPerSecond = status === "downloading" ? this.#meter.bytesPerSecond() : null
    return {
      id,
      name,
      repo,
      file,
      revision,
      status,
      checkedBy,
      bytesPerSecond,
      sizeBytes,
      receivedBytes: received,
      secondsLeft: bytesPerSecond ? Math.ceil(missingBytes / bytesPerSecond) : null,
      interruption: interruption?.text ?? null,
      error,
      ...(sentence && { sentence }),
      modelId: status === "done" ? getModelId(this.target) : null,
    }
  }
}

async function sizeOnDisk(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return 0
      throw error
    },
  )
}

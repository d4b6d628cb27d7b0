import { open, readdir, rm, type FileHandle } from "node:fs/promises"
import { join } from "node:path"

interface Limits {
  maxFileBytes: number
  maxFiles: number
  /** Lines are kept in memory while they can't be written, for example on a full disk. Lines beyond this size are dropped. */
  maxBacklogBytes: number
}

const fileName = /^box\.(\d+)\.log$/
const newline = 0x0a
const getPath = (directory: string, number: number) => join(directory, `box.${number}.log`)

/**
 * Writes lines to `box.1.log`, `box.2.log` and so on. When a file is full, the next one is started and the oldest is deleted. Writing never
 * blocks or throws: `onError` receives errors, and the next line retries.
 */
export class RollingFile {
  readonly #directory: string
  readonly #limits: Limits
  readonly #onError: (error: Error) => void
  #file: FileHandle
  #number: number
  #size: number
  /** Lines that still have to be written, oldest first. */
  #backlog: Buffer[] = []
  #backlogBytes = 0
  #writing: Promise<void> | null = null
  #isAtLineStart = true

  private constructor(
    directory: string,
    limits: Limits,
    onError: (error: Error) => void,
    opened: { file: FileHandle; number: number; size: number },
  ) {
    this.#directory = directory
    this.#limits = limits
    this.#onError = onError
    this.#file = opened.file
    this.#number = opened.number
    this.#size = opened.size
  }

  /** Continues the newest file, after any unfinished last line from a crash. */
  static async open(
    directory: string,
    limits: Limits,
    onError: (error: Error) => void,
  ): Promise<RollingFile> {
    const number = (await listNumbers(directory)).at(-1) ?? 1
    const file = await open(getPath(directory, number), "a+")
    const { size } = await file.stat()
    const rolling = new RollingFile(directory, limits, onError, { file, number, size })
    if (size > 0) {
      const last = await file.read(Buffer.alloc(1), { position: size - 1 })
      if (last.buffer.toString() !== "\n") rolling.write("\n")
    }
    return rolling
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (bytes.length > 0 && this.#backlogBytes + bytes.length <= this.#limits.maxBacklogBytes) {
      this.#backlog.push(bytes)
      this.#backlogBytes += bytes.length
    }
    if (this.#backlog.length > 0) this.#writing ??= this.#writeBacklog()
  }

  /** Writes the remaining lines, with one retry if writing failed before, and closes the file. */
  async close(): Promise<void> {
    await this.#writing
    if (this.#backlog.length > 0) await this.#writeBacklog()
    await this.#file.close().catch(this.#onError)
  }

  async #writeBacklog(): Promise<void> {
    try {
      while (this.#backlog.length > 0) await this.#writeSome()
    } catch (error) {
      this.#onError(error as Error)
    }
    this.#writing = null
  }

  /** Writes as many queued lines as fit into the file, at least one. A line isn't split between files. */
  async #writeSome(): Promise<void> {
    const [first] = this.#backlog
    if (!first) return
    const isFull = this.#size > 0 && this.#size + first.length > this.#limits.maxFileBytes
    if (isFull && this.#isAtLineStart) await this.#roll()
    let count = 1
    let bytes = first.length
    for (const line of this.#backlog.slice(1)) {
      if (this.#size + bytes + line.length > this.#limits.maxFileBytes) break
      count += 1
      bytes += line.length
    }
    const text = Buffer.concat(this.#backlog.slice(0, count), bytes)
    const { bytesWritten } = await this.#file.write(text)
    this.#isAtLineStart = text[bytesWritten - 1] === newline
    this.#size += bytesWritten
    this.#forget(bytesWritten)
  }

  /** On a nearly full disk, fewer bytes may be written than requested: the rest of a line stays first. */
  #forget(bytes: number): void {
    this.#backlogBytes -= bytes
    let left = bytes
    while (left > 0) {
      const line = this.#backlog.shift()
      if (!line) return
      if (line.length > left) this.#backlog.unshift(line.subarray(left))
      left -= line.length
    }
  }

  async #roll(): Promise<void> {
    const next = await open(getPath(this.#directory, this.#number + 1), "a")
    await this.#file.close().catch(this.#onError)
    this.#file = next
    this.#number += 1
    this.#size = (await next.stat()).size
    const oldest = this.#number - this.#limits.maxFiles
    for (const number of await listNumbers(this.#directory))
      if (number <= oldest) await rm(getPath(this.#directory, number), { force: true })
  }
}

/** Returns the numbers of a directory's log files, ascending. */
async function listNumbers(directory: string): Promise<number[]> {
  const names = await readdir(directory)
  return names
    .flatMap((name) => fileName.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
}

import { type BigIntStats, statSync, closeSync, existsSync, openSync, readSync } from "node:fs"
import { endianness, uptime } from "node:os"

/** Returns "unknown" if the system reports an error, for example for an inaccessible directory or a drive that fails for a moment. */
export function getStat(path: string): BigIntStats | undefined | "unknown" {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return "unknown"
  }
}

/**
 * Contents of SQLite's shared memory (https://sqlite.org/walformat.html#the_wal_index_file_format): the state of its write-ahead log, and
 * how much of it was copied into the database. A process that writes to either file also changes the shared memory.
 */
interface LogIndex {
  /** Changes each time that the log restarts. */
  salt: Buffer
  /** Pages in the log; 0 if it has no valid content. */
  frames: number
  /** Checksum of the last frame. */
  checksum: bigint
  pageBytes: number
  /** Frames that are also in the database, and those that are being copied or were copied. */
  copied: number
  copying: number
}

interface DatabaseFiles extends Disposable {
  /** Returns the path of a file that a program changed in a way that SQLite doesn't. */
  overwritten(): string | undefined
}

const indexBytes = 136
const headerBytes = 48
const logHeaderBytes = 32
const frameHeaderBytes = 24
const attempts = 3

/**
 * Detects when the files of an open database are overwritten. A check takes some µs. It misses changes in the middle of the log, and
 * changes between two checks in which SQLite copies into the database. Dispose of it only after the database is closed: closing a file that
 * SQLite has open would release its locks.
 */
function watchDatabaseFiles(path: string): DatabaseFiles {
  const [logPath, indexPath] = [`${path}-wal`, `${path}-shm`]
  const [log, index] = [openSync(logPath, "r"), openSync(indexPath, "r")]
  let seen: { index: LogIndex; main: string } | undefined

  function check(): { found: string | undefined } | "changing" {
    const [before, main] = [readIndex(index), getState(path)]
    if (before === "damaged") return { found: indexPath }
    if (before === "changing") return before
    const last = seen?.index.salt.equals(before.salt) === true ? seen.index : before
    const isLog = isLogOf(log, before) && isLogOf(log, last)
    const after = readIndex(index)
    if (typeof after === "string" || !isSame(before, after)) return "changing"
    if (!isLog) return { found: logPath }
    if (seen && main !== seen.main && isCopied(before) && isSame(getCopied(seen.index), getCopied(before)))
      return { found: path }
    seen = { index: before, main }
    return { found: undefined }
  }

  check()
  return {
    overwritten() {
      for (let tried = 0; tried < attempts; tried++) {
        const looked = check()
        if (looked !== "changing") return looked.found
      }
      return undefined // others are writing; the next check is soon
    },
    [Symbol.dispose]() {
      closeSync(log)
      closeSync(index)
    },
  }
}

/**
 * Whether the log that a killed process left differs from the log that it wrote. Call it before the database is opened. Returns false if
 * this is unknown: the shared memory is missing, or older than the computer's last start.
 */
export function isLogDamaged(path: string): boolean {
  const indexPath = `${path}-shm`
  const found = statSync(indexPath, { throwIfNoEntry: false })
  if (!found || found.mtimeMs < Date.now() - uptime() * 1_000) return false
  const index = readWith(indexPath, readIndex)
  if (typeof index === "string" || index.frames === index.copied) return false
  return !existsSync(`${path}-wal`) || !readWith(`${path}-wal`, (log) => isLogOf(log, index))
}

function readWith<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, "r")
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}

const isCopied = ({ copied, copying }: LogIndex) => copying <= copied
const getCopied = ({ salt, copied, copying }: LogIndex) => ({ salt, copied, copying })

function isSame<T extends Partial<LogIndex>>(one: T, other: T): boolean {
  const text = ({ salt, ...rest }: T) => [salt?.toString("hex"), ...Object.values(rest)].join()
  return text(one) === text(other)
}

/** Returns "changing" while someone writes the index, or if no one has written it yet. */
function readIndex(file: number): LogIndex | "changing" | "damaged" {
  const bytes = Buffer.alloc(indexBytes)
  if (readSync(file, bytes, 0, indexBytes, 0) < indexBytes) return "damaged"
  const isWhole = bytes.subarray(0, headerBytes).equals(bytes.subarray(headerBytes, 2 * headerBytes))
  if (!isWhole || bytes[12] === 0) return "changing"
  const little = endianness() === "LE"
  const number = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const size = little ? bytes.readUInt16LE(14) : bytes.readUInt16BE(14)
  return {
    salt: bytes.subarray(32, 40),
    frames: number(16),
    checksum: (BigInt(number(24)) << 32n) | BigInt(number(28)),
    pageBytes: size === 1 ? 65_536 : size,
    copied: number(96),
    copying: number(128),
  }
}

/** Whether the log is the expected one, judged by its header and its last frame. */
function isLogOf(file: number, { salt, frames, checksum, pageBytes }: LogIndex): boolean {
  if (frames === 0) return true
  const header = Buffer.alloc(logHeaderBytes)
  const frame = Buffer.alloc(frameHeaderBytes)
  readSync(file, header, 0, logHeaderBytes, 0)
  readSync(file, frame, 0, frameHeaderBytes, logHeaderBytes + (frames - 1) * (frameHeaderBytes + pageBytes))
  return (
    header.subarray(16, 24).equals(salt) &&
    frame.subarray(8, 16).equals(salt) &&
    frame.readBigUInt64BE(16) === checksum
  )
}

function getState(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return `${size} ${mtimeNs}`
}

/** How the files of an open database were lost: they were removed or replaced, or another program wrote to them. */
export type DatabaseLoss = "removed" | "overwritten"

/** Checks whether an open database still has the files that it was opened with, and whether only SQLite writes to them. */
export function watchDatabase(path: string, isShared: boolean) {
  const files = ["", "-wal", "-shm"].flatMap((end) => {
    const first = getStat(path + end)
    return first === "unknown" ? [] : [{ path: path + end, first }]
  })
  // SQLite keeps the files open, so no other file gets their inode numbers. A file system without shared memory has no log.
  const isSame = ({ path: file, first }: (typeof files)[number]) => {
    if (first === undefined) return true
    const current = getStat(file)
    return current === "unknown" || (current?.ino === first.ino && current.dev === first.dev)
  }
  const areThere = files.every(({ first }) => first !== undefined)
  const contents = isShared && areThere ? watchDatabaseFiles(path) : undefined

  return {
    /** Returns the file that was lost, and how. */
    findLoss(): { file: string; how: DatabaseLoss } | undefined {
      const gone = files.find((file) => !isSame(file))
      if (gone) return { file: gone.path, how: "removed" }
      const overwritten = getOverwritten(contents)
      return overwritten === undefined ? undefined : { file: overwritten, how: "overwritten" }
    },
    /** Call it only after the database is closed. */
    [Symbol.dispose]: () => contents?.[Symbol.dispose](),
  }
}

/** Returns undefined if the files can't be checked. */
function getOverwritten(files: DatabaseFiles | undefined): string | undefined {
  try {
    return files?.overwritten()
  } catch {
    return undefined
  }
}

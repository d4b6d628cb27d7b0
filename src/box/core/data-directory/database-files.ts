import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { endianness, uptime } from "node:os"

/**
 * What SQLite's shared memory (https://sqlite.org/walformat.html#the_wal_index_file_format) says of its write-ahead log and
 * of what of it was copied into the database. Whoever writes into either changes it too.
 */
interface LogIndex {
  /** Differs each time that the log begins anew. */
  salt: Buffer
  /** Pages in the log; before the first there is nothing in it that counts. */
  frames: number
  /** Of the last frame. */
  checksum: bigint
  pageBytes: number
  /** Frames that are in the database too, and those that somebody copies there or has. */
  copied: number
  copying: number
}

export interface DatabaseFiles extends Disposable {
  /** The path of one that a program changed otherwise than SQLite does. */
  overwritten(): string | undefined
}

const indexBytes = 136
const headerBytes = 48
const logHeaderBytes = 32
const frameHeaderBytes = 24
const attempts = 3

/**
 * Notices that the files of an open database are written over. Takes some µs. It isn't noticed in the midst of the log, nor when
 * SQLite copies into the database between two looks. Dispose it only once the database is closed: closing a file that SQLite has
 * open would give up its locks.
 */
export function watchDatabaseFiles(path: string): DatabaseFiles {
  const [logPath, indexPath] = [`${path}-wal`, `${path}-shm`]
  const [log, index] = [openSync(logPath, "r"), openSync(indexPath, "r")]
  let seen: { index: LogIndex; main: string } | undefined

  function look(): { found: string | undefined } | "changing" {
    const [before, main] = [readIndex(index), stateOf(path)]
    if (before === "damaged") return { found: indexPath }
    if (before === "changing") return before
    const last = seen?.index.salt.equals(before.salt) === true ? seen.index : before
    const isLog = isLogOf(log, before) && isLogOf(log, last)
    const after = readIndex(index)
    if (typeof after === "string" || !isSame(before, after)) return "changing"
    if (!isLog) return { found: logPath }
    if (seen && main !== seen.main && isCopied(before) && isSame(copiedOf(seen.index), copiedOf(before)))
      return { found: path }
    seen = { index: before, main }
    return { found: undefined }
  }

  look()
  return {
    overwritten() {
      for (let tried = 0; tried < attempts; tried++) {
        const looked = look()
        if (looked !== "changing") return looked.found
      }
      return undefined // others write; the next look is soon
    },
    [Symbol.dispose]() {
      closeSync(log)
      closeSync(index)
    },
  }
}

/**
 * Whether the log that a killed process left isn't the one that it wrote. To be asked before the database is opened. Unknown, so
 * no, where its shared memory is gone, or of before the computer was started.
 */
export function isLogHarmed(path: string): boolean {
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
const copiedOf = ({ salt, copied, copying }: LogIndex) => ({ salt, copied, copying })

function isSame<T extends Partial<LogIndex>>(one: T, other: T): boolean {
  const text = ({ salt, ...rest }: T) => [salt?.toString("hex"), ...Object.values(rest)].join()
  return text(one) === text(other)
}

/** "changing" while somebody writes it, or before anybody did. */
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

/** Whether the log is the one that it should be, as far as its first bytes and its last frame tell. */
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

function stateOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return `${size} ${mtimeNs}`
}

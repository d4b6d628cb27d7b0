import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { TerminalError } from "../terminal-error.ts"

const othersMay = 0o077
const othersMayWrite = 0o022

/**
 * Creates the data directory, or restricts an existing one to its owner, so that no one else can read chats and documents. Windows protects
 * users' directories itself.
 *
 * @param check receives the names in the directory, and throws if the box may not use it; nothing is changed then
 * @throws AppError `conflict` for another user's directory, and for an open one whose contents may not be the box's own.
 */
export function ensurePrivateDirectory(directory: string, check: (names: string[]) => void): void {
  makeDirectory(directory)
  const { uid, mode } = statSync(directory)
  const others = process.getuid === undefined ? 0 : mode & othersMay
  const inspect = () => {
    const names = readdirSync(directory)
    if (process.getuid !== undefined) requireOneOwner(directory, uid, names)
    if (names.length > 0 && (others & othersMayWrite) !== 0)
      throw new TerminalError(
        "conflict",
        `Others may write into ${directory}, so not all in it may be yours. Choose an empty directory, or close it to others first: chmod 700 ${directory}`,
      )
    check(names)
  }
  inspect()
  if (others === 0) return
  chmodSync(directory, 0o700)
  try {
    inspect() // from now on no one else can put anything into it
  } catch (error) {
    chmodSync(directory, mode & 0o7777)
    throw error
  }
}

/** Node's own `recursive` loops forever on a file system that can't create directories, such as /proc. */
function makeDirectory(directory: string): void {
  const isThere = () => statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
  if (isThere()) return
  if (dirname(directory) !== directory) makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (!isThere()) throw error // another process may have created it in the meantime
  }
}

function requireOneOwner(directory: string, uid: number, names: readonly string[]): void {
  if (uid !== process.getuid?.())
    throw new TerminalError(
      "conflict",
      `${directory} belongs to another user. Choose a data directory of your own.`,
    )
  const planted = names.find((name) => {
    const found = lstatSync(join(directory, name), { throwIfNoEntry: false }) // a running box's journals appear and disappear
    return found !== undefined && found.uid !== uid
  })
  if (planted !== undefined)
    throw new TerminalError(
      "conflict",
      `${join(directory, planted)} belongs to another user. Choose an empty data directory of your own.`,
    )
}

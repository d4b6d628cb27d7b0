import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseUnusable } from "./migrate.ts"

const databaseFile = "auth.sqlite"

const othersMay = 0o077
const othersMayWrite = 0o022

/**
 * Creates the data directory, or restricts an existing one to its owner, because no other user may read accounts and tickets. On Windows,
 * the system protects a user's directories.
 * @throws DatabaseUnusable for another user's directory, and for an open one whose contents may not be the service's own.
 */
export function ensurePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (process.getuid === undefined) return
  const { uid, mode } = statSync(directory)
  if (uid !== process.getuid())
    throw new DatabaseUnusable(`${directory} belongs to another user. Choose a data directory of your own.`)
  // It is closed before it is inspected, so that no one can add anything afterwards.
  if ((mode & othersMay) !== 0) chmodSync(directory, 0o700)
  const entries = readdirSync(directory)
  const refuse = (why: string): never => {
    chmodSync(directory, mode & 0o7777)
    throw new DatabaseUnusable(why)
  }
  const planted = entries.find((name) => {
    const found = lstatSync(join(directory, name), { throwIfNoEntry: false }) // journals of a running server may disappear
    return found !== undefined && found.uid !== uid
  })
  if (planted !== undefined)
    refuse(`${join(directory, planted)} belongs to another user. Choose an empty data directory of your own.`)
  const advice = `Choose an empty directory, or close it to others first: chmod 700 ${directory}`
  if (entries.length > 0 && (mode & othersMayWrite) !== 0)
    refuse(`Others may write into ${directory}, so not all in it may be yours. ${advice}`)
  if (entries.length > 0 && (mode & othersMay) !== 0 && !entries.includes(databaseFile))
    refuse(`Others may read ${directory}, and it holds other things. ${advice}`)
}

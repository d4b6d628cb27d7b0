import { numberedName } from "../../core/files/path-jail.ts"
import type { PythonInput } from "./python-job.ts"

/** A file that the answer may read, with its location and size. */
export interface ReadableFile {
  /** The folder's name, which may not be unique. */
  folder: string
  folderId: string
  /** Path inside the folder, with `/` between names. */
  path: string
  /** Bytes. */
  size: number
  read(): Promise<Uint8Array>
}

export const inputLimits = { files: 100, bytes: 50_000_000, listed: 2000 }

export interface ChosenInputs {
  inputs: PythonInput[]
  /** Number of files provided with their content. */
  given: number
  /** Sentences about what wasn't provided. */
  notes: string[]
}

/** Code that never mentions `in` can't read from it. */
export const mentionsInputs = (code: string): boolean => /\bin\/|["']\.?\/?in["']/.test(code)

/**
 * Chooses the files that a program can read under `in/`: all of them if there are few, otherwise only those named in its code. The others
 * are listed but can't be opened.
 */
export async function chooseInputs(code: string, found: readonly ReadableFile[]): Promise<ChosenInputs> {
  const files = assignUniquePaths(found.slice(0, inputLimits.listed))
  const isLittle = files.length <= inputLimits.files && sum(files) <= inputLimits.bytes
  const wanted = isLittle ? files : files.filter(({ path }) => code.includes(path.split("/").at(-1) ?? path))
  const given = new Set<(typeof files)[number]>()
  let bytes = 0
  for (const file of wanted) {
    if (given.size >= inputLimits.files || bytes + file.size > inputLimits.bytes) continue
    bytes += file.size
    given.add(file)
  }
  const inputs: PythonInput[] = []
  for (const file of files) {
    const read = given.has(file) ? await file.read().catch(() => null) : null
    if (read === null) given.delete(file)
    inputs.push({ path: file.path, size: file.size, bytes: read })
  }
  const missing = files.length - given.size
  return {
    inputs,
    given: given.size,
    notes: describeMissingFiles(missing, found.length > inputLimits.listed),
  }
}

function describeMissingFiles(missing: number, isCut: boolean): string[] {
  const { files, bytes, listed } = inputLimits
  return [
    ...(missing > 0
      ? [
          `${missing} files below in/ are listed but couldn't be opened: where there are more than ${files} or over ` +
            `${bytes / 1e6} MB, a program gets only those whose file names stand in its code.`,
        ]
      : []),
    ...(isCut ? [`Only the first ${listed} files are listed below in/.`] : []),
  ]
}

/** Gives each file a unique path: `<folder>/<path>`. A name that is already taken gets a number. */
function assignUniquePaths(found: readonly ReadableFile[]): ReadableFile[] {
  const names = new Map<string, string>()
  const split = found.map((file) => {
    let name = names.get(file.folderId)
    if (name === undefined) {
      const taken = new Set(names.values())
      name = firstFree(toUsableName(file.folder), (each) => taken.has(each))
      names.set(file.folderId, name)
    }
    const [last = "", ...inner] = file.path.split("/").toReversed()
    const parents = [name, ...inner.toReversed().map((each) => numberedName(toUsableName(each), 1))]
    return { file, parents, last: toUsableName(last) }
  })
  const taken = new Set(
    split.flatMap(({ parents }) => parents.map((_, end) => parents.slice(0, end + 1).join("/"))),
  )
  return split.map(({ file, parents, last }) => {
    const inside = `${parents.join("/")}/`
    const path = inside + firstFree(last, (each) => taken.has(inside + each))
    taken.add(path)
    return { ...file, path }
  })
}

function firstFree(name: string, isTaken: (name: string) => boolean): string {
  let number = 1
  while (isTaken(numberedName(name, number))) number++
  return numberedName(name, number)
}

/** Whether a run's result may reveal something about files. File names alone do, and a shortened result may have. */
export const hasReadFiles = (result: unknown): boolean =>
  typeof result !== "object" || result === null || "filesRead" in result

/** Returns a name that is valid in a path. */
function toUsableName(name: string): string {
  const text = name.toWellFormed().replace(/[\p{Cc}/\\]/gu, "_")
  return /^\.*$/.test(text) ? "_" : text
}

const sum = (files: readonly ReadableFile[]) => files.reduce((total, { size }) => total + size, 0)

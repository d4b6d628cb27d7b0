import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { failure } from "../parser.ts"

const builtIn = ["eng", "ita"]
const compressed = ".traineddata.gz"
const plain = ".traineddata"

/**
 * Creates the directory of language files with English and Italian, unless it exists. Uncompressed files that users added, as Tesseract
 * publishes them, are compressed, because its WebAssembly needs that.
 */
export async function prepareLanguages(directory: string): Promise<void> {
  const files = await readdir(directory).catch(() => undefined)
  if (!files) return createDirectory(directory)
  for (const file of notCompressed(files)) {
    const bytes = await promisify(gzip)(await readFile(join(directory, file)))
    await writeAtomically(join(directory, `${file}.gz`), (path) => writeFile(path, bytes))
  }
}

/**
 * Describes the languages of a directory by their files and sizes, to compare it with another. Returns null if they aren't prepared yet or
 * can't be read.
 */
export async function describeLanguages(directory: string): Promise<string | null> {
  const files = await readdir(directory).catch(() => undefined)
  if (!files || notCompressed(files).length > 0) return null
  const described = files
    .filter((name) => name.endsWith(compressed))
    .sort()
    .map(async (name) => `${name} ${(await stat(join(directory, name))).size}`)
  return Promise.all(described).then(
    (all) => all.join("\n"),
    () => null, // A file is being replaced.
  )
}

/** Returns the languages of a directory in Tesseract's notation: "eng+ita". Throws `ParseFailure` when one is damaged. */
export async function readLanguages(directory: string): Promise<string> {
  const files = await readdir(directory)
  const installed = files
    .filter((name) => name.endsWith(compressed))
    .map((name) => name.slice(0, -compressed.length))
  if (installed.length === 0) {
    throw failure("ocr_languages_missing")
  }
  for (const name of installed) await requireGzip(directory, name + compressed)
  const others = installed.filter((name) => !builtIn.includes(name)).sort()
  return [...builtIn.filter((name) => installed.includes(name)), ...others].join("+")
}

/** Tesseract ends the process if a language file is invalid. */
async function requireGzip(directory: string, file: string): Promise<void> {
  const bytes = await readFile(join(directory, file))
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return
  throw failure("ocr_language_damaged", { file })
}

const notCompressed = (files: readonly string[]): string[] =>
  files.filter((name) => name.endsWith(plain) && !files.includes(`${name}.gz`))

async function createDirectory(directory: string): Promise<void> {
  const packages = createRequire(import.meta.url)
  await writeAtomically(directory, async (path) => {
    await mkdir(path, { recursive: true })
    for (const language of builtIn) {
      const data = `@tesseract.js-data/${language}/4.0.0_best_int/${language}${compressed}`
      await copyFile(packages.resolve(data), join(path, language + compressed))
    }
  })
}

/** Writes to a temporary path first, so that a crash leaves nothing that looks complete. */
async function writeAtomically(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const draft = `${path}.part`
  await rm(draft, { recursive: true, force: true })
  await write(draft)
  await rename(draft, path)
}

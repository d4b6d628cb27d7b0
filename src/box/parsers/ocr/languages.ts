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
 * Makes the directory of language files, with English and Italian in it, unless there is one. Files that people put
 * there as Tesseract publishes them are compressed, as its WebAssembly wants them.
 */
export async function prepareLanguages(directory: string): Promise<void> {
  const files = await readdir(directory).catch(() => undefined)
  if (!files) return createDirectory(directory)
  for (const file of notCompressed(files)) {
    const bytes = await promisify(gzip)(await readFile(join(directory, file)))
    await putWhole(join(directory, `${file}.gz`), (path) => writeFile(path, bytes))
  }
}

/** What tells the languages of a directory from those of another one: their files and sizes. Null until they were prepared, or where that can't be told. */
export async function describeLanguages(directory: string): Promise<string | null> {
  const files = await readdir(directory).catch(() => undefined)
  if (!files || notCompressed(files).length > 0) return null
  const described = files
    .filter((name) => name.endsWith(compressed))
    .sort()
    .map(async (name) => `${name} ${(await stat(join(directory, name))).size}`)
  return Promise.all(described).then(
    (all) => all.join("\n"),
    () => null, // one is just being replaced
  )
}

/** Languages of a directory as Tesseract names them: "eng+ita". Throws `ParseFailure` when one is damaged. */
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

/** Tesseract ends the process over a file that isn't what it should be. */
async function requireGzip(directory: string, file: string): Promise<void> {
  const bytes = await readFile(join(directory, file))
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return
  throw failure("ocr_language_damaged", { file })
}

const notCompressed = (files: readonly string[]): string[] =>
  files.filter((name) => name.endsWith(plain) && !files.includes(`${name}.gz`))

async function createDirectory(directory: string): Promise<void> {
  const packages = createRequire(import.meta.url)
  await putWhole(directory, async (path) => {
    await mkdir(path, { recursive: true })
    for (const language of builtIn) {
      const data = `@tesseract.js-data/${language}/4.0.0_best_int/${language}${compressed}`
      await copyFile(packages.resolve(data), join(path, language + compressed))
    }
  })
}

/** A crash in the middle leaves nothing that looks complete. */
async function putWhole(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const draft = `${path}.part`
  await rm(draft, { recursive: true, force: true })
  await write(draft)
  await rename(draft, path)
}

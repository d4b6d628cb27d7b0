// A folder of thousands of files of all kinds, added in waves with changes and deletions in between, while it is searched and chatted with.
// Measures the box's memory, descriptors, temporary files and disk space. `node bench/mixed-files.ts 2000 10` uses 2,000 files instead of
// 10,000, then continues for 10 waves that delete as many files as they add.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import { messageBytes } from "../src/box/parsers/testing/compound-files.ts"
import {
  docxBytes,
  openDocumentBytes,
  pptxBytes,
  xlsxBytes,
} from "../src/box/parsers/testing/office-files.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { printResults, type BenchResult } from "./result.ts"

const cli = fileURLToPath(new URL("../out/main/cli.js", import.meta.url))
const corpus = fileURLToPath(new URL("../../shared/corpus/documents/", import.meta.url))
/** Waves in which the folder grows. */
const growing = 10
/** Number of searches and chats in each wave, while its files are read. */
const searches = 200
const chats = 20
/** Files of the collection that take seconds each, because they are scans. */
const slow = /^(8087|ccitt|cardinal|multipage|phototest-rotated|bug1978317)/
const vocabulary =
  "harbour ledger window copper signal garden motion paper village winter engine market stone bridge letter".split(
    " ",
  )

const sentence = (seed: number, words = 40): string =>
  Array.from(
    { length: words },
    (_, at) => vocabulary[(seed * 7 + at * (1 + (seed % 5))) % vocabulary.length],
  ).join(" ")

const paragraphs = (seed: number): string[] =>
  Array.from({ length: 2 + (seed % 9) }, (_, at) => `Note ${seed}, part ${at}: ${sentence(seed + at)}.`)

const makeLetter = (texts: string[]): Buffer =>
  docxBytes(texts.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join(""))

/** Builds each kind of file from its paragraphs. */
const kinds: Record<string, (texts: string[], seed: number) => string | Uint8Array> = {
  md: (texts, seed) => `# Note ${seed}\n\n${texts.join("\n\n")}`,
  txt: (texts) => Buffer.from(`\ufeff${texts.join("\n\n")}`, "utf16le"),
  html: (texts) => `<!doctype html><body>${texts.map((text) => `<p>${text}</p>`).join("")}`,
  json: (texts, seed) => JSON.stringify({ seed, texts }),
  csv: (texts) => `part,text\n${texts.map((text, at) => `${at},"${text}"`).join("\n")}`,
  xml: (texts) =>
    `<?xml version="1.0"?><notes>${texts.map((text) => `<note>${text}</note>`).join("")}</notes>`,
  py: (texts, seed) =>
    texts.map((text, at) => `def part_${seed}_${at}():\n    return "${text}"\n`).join("\n"),
  rtf: (texts) => `{\\rtf1\\ansi ${texts.map((text) => `${text}\\par\n`).join("")}}`,
  pdf: (texts) =>
    makePdf(
      texts.map((text) => ({ lines: text.match(/.{1,80}(?: |$)/g)?.map((line) => ({ text: line })) ?? [] })),
    ),
  docx: makeLetter,
  pptx: (texts) => pptxBytes(texts.map((text) => `<p:sp><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sp>`)),
  odt: (texts) => openDocumentBytes("text", texts.map((text) => `<text:p>${text}</text:p>`).join("")),
  xlsx: (texts) =>
    xlsxBytes(texts.map((text) => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`).join("")),
  msg: (texts) =>
    messageBytes({
      "letter.docx": makeLetter(texts),
      "note.txt": Buffer.from(texts.join("\n")),
    }),
  // truncated, as a failed download leaves it
  "cut.docx": (texts) => makeLetter(texts).subarray(0, 400),
}

async function writeFiles(
  root: string,
  first: number,
  count: number,
  real: readonly Buffer[],
  names: readonly string[],
) {
  const made = Object.entries(kinds)
  for (let number = first; number < first + count; number++) {
    const directory = join(root, `part-${number % 20}`)
    await mkdir(directory, { recursive: true })
    const turn = number % (made.length + 2)
    const [extension, make] = made[turn] ?? []
    const at = number % Math.max(1, real.length)
    const [name, bytes] = make
      ? [`note.${extension}`, make(paragraphs(number), number)]
      : [names[at] ?? "note.md", real[at] ?? `# Note ${number}`]
    await writeFile(join(directory, `${number}-${name}`), bytes)
  }
}

interface Box {
  process: ChildProcess
  url: string
  client: Client
  key: string
}

async function startBox(dataDir: string, temporary: string, key?: string): Promise<Box> {
  const flags = ["--port", "0", "--data", dataDir, "--model", ensureTestModel()]
  const child = spawn(process.execPath, [cli, ...flags], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TMPDIR: temporary },
  })
  const [line] = (await once(child.stdout ?? child, "data")) as [Buffer]
  const ready = JSON.parse(line.toString()) as { url: string; firstRunKey?: string }
  const own = key ?? ready.firstRunKey ?? ""
  const client = createClient({ baseUrl: ready.url, headers: { "x-api-key": own } })
  return { process: child, url: ready.url, client, key: own }
}

async function stopBox({ process: child }: Box): Promise<void> {
  const exited = once(child, "exit")
  child.kill()
  await exited
}

/** Settles when the folder lists `files` files and none of them waits. */
async function settled(client: Client, id: string, files: number): Promise<void> {
  for (;;) {
    const { vector } = await client.folders.read({ params: { id } })
    if (vector.fileCount === files && vector.pendingCount === 0) return
    await wait(1_000)
  }
}

/** Searches the folder, then asks about it, in sequence. */
async function use({ client, url }: Box, id: string, wave: number): Promise<void> {
  for (let number = 0; number < searches; number++) {
    const query = sentence(wave * searches + number, 1 + (number % 6))
    await client.folders.search({ body: { query, vector: [id] } })
    if (number % (searches / chats) > 0) continue
    const body = {
      id: `wave-${wave}-${number}`,
      boxAddress: url,
      vector: [id],
      messages: [{ role: "user" as const, content: `Tell me of the ${query}.` }],
    }
    for await (const event of client.chat.send({ body })) {
      if (event.type === "error") throw new Error(`A chat failed: ${event.code}`)
    }
  }
}

interface ProcessUsage {
  megabytes: number
  descriptors: number
}

/** Resident memory in MB and open descriptors (Linux). */
async function readUsage({ process: { pid } }: Box): Promise<ProcessUsage> {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  const descriptors = (await readdir(`/proc/${pid}/fd`)).length
  return { megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024, descriptors }
}

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}

/** Settles when the index hasn't been written for a while. Its files change in the meantime. */
async function rebuilt(directory: string): Promise<void> {
  for (let before = -1, now = 0; now !== before || now === 0;) {
    before = now
    await wait(5_000)
    now = await bytesIn(directory).catch(() => before - 1)
  }
}

/** Removes the files whose numbers are in a range; returns how many there were. */
async function removeFiles(root: string, from: number, to: number): Promise<number> {
  const gone = (await readdir(root, { recursive: true })).filter((path) => {
    const number = Number(/(\d+)-[^/]*$/.exec(path)?.[1])
    return number >= from && number < to
  })
  for (const path of gone) await rm(join(root, path))
  return gone.length
}

/** Growth from the first three waves to the last three. One wave alone isn't meaningful, because the index is reopened now and then. */
function growth(seen: readonly ProcessUsage[], figure: keyof ProcessUsage): number {
  const mean = (some: readonly ProcessUsage[]) =>
    some.reduce((sum, each) => sum + each[figure], 0) / Math.max(1, some.length)
  return mean(seen.slice(-3)) - mean(seen.slice(0, 3))
}

const flat = (name: string, value: number, unit: string, most: number): BenchResult => ({
  name,
  value,
  unit,
  target: `≤${most}`,
  ok: value <= most,
})

export async function run(files = 10_000, steady = 0): Promise<BenchResult[]> {
  const base = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const [root, data, temporary] = ["documents", "data", "tmp"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
  for (const directory of [root, temporary]) await mkdir(directory)
  const names = existsSync(corpus) ? (await readdir(corpus)).filter((name) => !slow.test(name)) : []
  const real = await Promise.all(names.map((name) => readFile(corpus + name)))
  try {
    const perWave = Math.ceil(files / growing)
    let box = await startBox(data, temporary)
    const { id } = (await box.client.folders.create({ body: { name: "Mixed", folder: root } })).vector
    const seen: ProcessUsage[] = []
    const started = performance.now()
    let live = 0
    for (let wave = 0; wave < growing + steady; wave++) {
      await writeFiles(root, wave * perWave, perWave, real, names)
      live += perWave
      // rewrites some files of the previous wave
      if (wave > 0) await writeFiles(root, (wave - 1) * perWave, perWave / 10, real, names)
      await Promise.all([settled(box.client, id, live), use(box, id, wave)])
      // … and removes some, and a whole wave when there are enough
      if (wave > 0) live -= await removeFiles(root, (wave - 0.2) * perWave, wave * perWave)
      if (wave >= growing)
        live -= await removeFiles(root, (wave - growing) * perWave, (wave - growing + 1) * perWave)
      await settled(box.client, id, live)
      seen.push(await readUsage(box))
      process.stderr.write(
        `  ${live} files, ${Math.round((performance.now() - started) / 1000)} s, ${JSON.stringify(seen.at(-1))}\n`,
      )
    }
    const seconds = (performance.now() - started) / 1000
    const { vector } = await box.client.folders.read({ params: { id } })
    // parsers end after 10 s without work
    await wait(15_000)
    const idleUsage = await readUsage(box)
    const left = (await readdir(temporary)).length
    await stopBox(box)
    const indexed = await bytesIn(join(data, "index"))
    await rm(join(data, "index"), { recursive: true })
    box = await startBox(data, temporary, box.key)
    await box.client.folders.search({ body: { query: "harbour", vector: [id] } })
    await rebuilt(join(data, "index"))
    await stopBox(box)
    const fresh = await bytesIn(join(data, "index"))
    const grown = seen.slice(2, growing)
    const kept = seen.slice(growing)
    return [
      {
        name: `${perWave * (growing + steady)} mixed files`,
        value: (perWave * (growing + steady)) / seconds,
        unit: "files/s",
      },
      { name: "files that ended in a reason", value: vector.failedCount, unit: "" },
      { name: "memory after the last wave", value: seen.at(-1)?.megabytes ?? 0, unit: "MB" },
      { name: "memory 15 s later", value: idleUsage.megabytes, unit: "MB" },
      flat("memory: growth since the third wave", growth(grown, "megabytes"), "MB", 100),
      flat("descriptors: growth since the third wave", growth(grown, "descriptors"), "", 10),
      ...(kept.length === 0
        ? []
        : [
            flat("memory: growth while as many files go as come", growth(kept, "megabytes"), "MB", 20),
            flat("descriptors: growth while as many files go as come", growth(kept, "descriptors"), "", 10),
          ]),
      flat("temporary files outside the data directory", left, "", 0),
      flat("index, against one built anew", indexed / fresh, "×", 2),
    ]
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [files, steady] = process.argv.slice(2).map(Number)
  printResults(await run(files, steady))
}

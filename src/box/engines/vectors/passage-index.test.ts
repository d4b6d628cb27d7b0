import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { openPassageIndex, type PassageIndex, type PassageRecord } from "./passage-index.ts"

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const folder = "0190a000-0000-7000-8000-000000000001"
const otherFolder = "0190a000-0000-7000-8000-000000000002"

let root: string
let directory: string
/** The passages that the database would contain. */
let live: PassageRecord[]

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "passage-index-"))
  directory = join(root, "index")
  live = []
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function* stream() {
  const sorted = live.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (let from = 0; from < sorted.length; from += 100) yield sorted.slice(from, from + 100)
}

const open = (embedding?: { modelId: string; dimensions: number }) =>
  openPassageIndex({ directory, passages: stream, logger: silent, ...(embedding ? { embedding } : {}) })

function passage(text: string, fields: Partial<PassageRecord> = {}): PassageRecord {
  const record = { id: crypto.randomUUID(), vectorId: folder, fileId: crypto.randomUUID(), text, ...fields }
  live.push(record)
  return record
}

async function found(index: PassageIndex, query: string, folders = [folder]): Promise<string[]> {
  return (await index.keyword(query, folders, 10)).map((hit) => hit.id)
}

const rebuilt = (index: PassageIndex) => expect.poll(() => index.state.status, { interval: 10 }).toBe("ready")

async function newestManifest(): Promise<string> {
  const versions = join(directory, "tables", "passages.lance", "_versions")
  const [newest] = (await readdir(versions)).filter((name) => name.endsWith(".manifest")).sort() // version numbers in the names count down
  return join(versions, newest ?? "")
}

describe("put and search", () => {
  test("a passage is found when put settles, and only in its own folder", async () => {
    await using index = await open()
    const apples = passage("Apples ripen in autumn")
    await index.put([apples, passage("Trains leave at noon", { vectorId: otherFolder })])
    expect(await found(index, "apples")).toEqual([apples.id])
    expect(await found(index, "apples", [otherFolder])).toEqual([])
    expect(await found(index, "apples", [otherFolder, folder])).toEqual([apples.id])
  })

  test("putting the same id again replaces its text, even within one call", async () => {
    await using index = await open()
    const first = passage("a draft about whales")
    await index.put([first, { ...first, text: "a draft about dolphins" }])
    await index.put([{ ...first, text: "the final word on herons" }])
    expect(await found(index, "whales")).toEqual([])
    expect(await found(index, "dolphins")).toEqual([])
    expect(await found(index, "herons")).toEqual([first.id])
  })

  // Catches searches that fail, or miss new passages, while the table is reopened between them.
  test("searches keep working during more than a hundred commits", async () => {
    await using index = await open()
    const searches: Promise<string[]>[] = []
    for (let number = 0; number < 130; number++) {
      const one = passage(`heron n${number} end`)
      await index.put([one])
      if (number % 5 > 0) continue
      expect(await found(index, `n${number}`)).toEqual([one.id])
      searches.push(found(index, "heron"))
    }
    expect((await Promise.all(searches)).slice(2).every((ids) => ids.length === 10)).toBe(true)
  })

  test("single puts are grouped into full commits, and all of them are found", async () => {
    await using index = await open()
    const many = Array.from({ length: 600 }, (_, number) => passage(`serial n${number} end`))
    await Promise.all(many.map((one) => index.put([one])))
    expect(await found(index, "n599")).toEqual([many[599]?.id])
    expect(await found(index, "n0")).toEqual([many[0]?.id])
  })

  test("nearest vectors come first, and passages without a vector are omitted", async () => {
    await using index = await open({ modelId: "m", dimensions: 3 })
    const near = passage("near", { embedding: Float32Array.of(1, 0, 0) })
    const far = passage("far", { embedding: Float32Array.of(0, 1, 0) })
    await index.put([far, near, passage("bare")])
    const hits = await index.semantic(Float32Array.of(1, 0, 0), [folder], 10)
    expect(hits.map((hit) => hit.id)).toEqual([near.id, far.id])
    expect(hits[0]?.similarity).toBeCloseTo(1)
    expect(await found(index, "bare")).toHaveLength(1)
  })

  test("a small folder is searched through the vector index of a large one", async () => {
    await using index = await open({ modelId: "m", dimensions: 8 })
    await rebuilt(index)
    const point = (number: number) =>
      Float32Array.from({ length: 8 }, (_, axis) => Math.sin(number * (axis + 1)))
    const many = Array.from({ length: 5_200 }, (_, number) =>
      passage(`number${number}`, {
        embedding: point(number),
        vectorId: number % 1_000 === 500 ? folder : otherFolder,
      }),
    )
    await index.put(many) // enough to train the vector index immediately
    await index.removeFile(crypto.randomUUID()) // settles after the training
    const inFolder = many.filter((one) => one.vectorId === folder)
    const hits = await index.semantic(point(2_500), [folder], 10)
    expect(hits[0]?.id).toBe(many[2_500]?.id)
    expect(hits).toHaveLength(inFolder.length)
  })

  test("quotes and SQL in ids are rejected before they reach a filter", async () => {
    await using index = await open()
    await index.put([passage("something")])
    await expect(index.keyword("something", ["' OR '1'='1"], 5)).rejects.toMatchObject({ code: "validation" })
    await expect(index.removeFile("x') OR (1=1")).rejects.toMatchObject({ code: "validation" })
    expect(await found(index, "something")).toHaveLength(1)
  })

  test("queries that are empty or consist of punctuation or operators find nothing and don't throw", async () => {
    await using index = await open()
    await index.put([passage("plain words")])
    for (const query of ["", "   ", "?!", '"', "AND OR NOT", "a:b^2~ (x", "\0"]) {
      expect(await found(index, query)).toEqual([])
    }
  })
})

// Catches a single extra, missing, wrong or swapped letter that finds nothing. Also catches correct words, short words or numbers that are
// treated as misspelt.
test("misspelt words are found, and correct words aren't treated as misspelt", async () => {
  await using index = await open()
  const texts = {
    waranty: "The warranty lasts two years.",
    recieve: "You receive the goods on Monday.",
    accomodation: "The accommodation is near the sea.",
    Rücksednung: "Die Garantie gilt nicht für die Rücksendung der Ware.",
    гарантыя: "Гарантия на товар два года",
    προιοντως: "Η εγγύηση του προϊόντος",
  }
  const passages = new Map(Object.entries(texts).map(([query, text]) => [query, passage(text)]))
  const exact = ["zebra", "cat", "0017", "contract"].map((word) => [word, passage(`${word} here`)] as const)
  const alike = ["The zero of the algebra", "The car and the cut", "Invoice 0018", "A contact, contrasted"]
  await index.put([
    ...passages.values(),
    ...exact.map(([, one]) => one),
    ...alike.map((text) => passage(text)),
  ])
  // Spellings are compared with the stored words, which are saved when writing pauses.
  await expect.poll(() => found(index, "waranty")).toEqual([passages.get("waranty")?.id])
  for (const [query, { id }] of passages) {
    const [first] = await index.keyword(query, [folder], 5)
    expect(first, query).toMatchObject({ id, coverage: 1 })
  }
  for (const [query, { id }] of exact) expect(await found(index, query), query).toEqual([id])
})

// Catches words that a crash removes from the dictionary and that are then treated as misspelt.
test("after a crash correct words find their passages, and misspelt words are found again", async () => {
  const contract = passage("The contract ends in May.")
  const contact = passage("The contact is away.")
  await using crashed = await open() // still open when the index is opened again, as after a crash
  await rebuilt(crashed)
  await crashed.put([contract, contact])
  await using index = await open()
  await rebuilt(index)
  expect(await found(index, "contract")).toEqual([contract.id])
  await expect.poll(() => found(index, "contrict")).toEqual([contract.id])
  expect(await found(index, "contact")).toEqual([contact.id])
})

describe("removal", () => {
  test("a removed file or folder is hidden from searches immediately, before the removal is committed", async () => {
    await using index = await open()
    const kept = passage("shared word")
    const gone = passage("shared word")
    const away = passage("shared word", { vectorId: otherFolder })
    await index.put([kept, gone, away])
    const removals = [index.removeFile(gone.fileId), index.removeFolder(otherFolder)]
    expect(await found(index, "shared", [folder, otherFolder])).toEqual([kept.id])
    await Promise.all(removals)
    expect(await found(index, "shared", [folder, otherFolder])).toEqual([kept.id])
  })

  test("a removal waits for earlier puts, and a later put of the same file is kept", async () => {
    await using index = await open()
    const old = passage("old edition")
    const fresh = passage("new edition", { fileId: old.fileId })
    await Promise.all([index.put([old]), index.removeFile(old.fileId), index.put([fresh])])
    expect(await found(index, "edition")).toEqual([fresh.id])
  })
})

describe("repair", () => {
  test("after a clean stop the index is complete again without streaming the passages", async () => {
    const kept = passage("to be kept")
    {
      await using index = await open()
      await rebuilt(index)
      await index.put([kept])
    }
    live = []
    await using index = await open()
    expect(index.state.status).toBe("ready")
    expect(await found(index, "kept")).toEqual([kept.id])
  })

  test("searches that a stop interrupts aren't treated as damage", async () => {
    const kept = passage("to be kept")
    const stopped = await open()
    await rebuilt(stopped)
    await stopped.put([kept])
    const cut = Promise.allSettled(Array.from({ length: 20 }, () => stopped.keyword("kept", [folder], 5)))
    await stopped[Symbol.asyncDispose]()
    await cut
    await expect(stopped.keyword("kept", [folder], 5)).rejects.toMatchObject({ code: "unavailable" })
    expect(await readdir(root)).toEqual(["index"])
    await using index = await open()
    expect(index.state.status).toBe("ready")
    expect(await found(index, "kept")).toEqual([kept.id])
  })

  test("a missing index is built from the passages", async () => {
    const one = passage("from the database")
    await using index = await open()
    await rebuilt(index)
    expect(await found(index, "database")).toEqual([one.id])
  })

  test.each([
    ["empty", async (path: string) => truncate(path, 0)],
    ["zeroed", async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size))],
  ])("a newest manifest that is %s is quarantined and the index rebuilt", async (_, damage) => {
    const one = passage("survives the power cut")
    {
      await using index = await open()
      await rebuilt(index)
      await index.put([one])
    }
    await damage(await newestManifest())
    await using index = await open()
    await index.keyword("power", [folder], 5)
    await rebuilt(index)
    expect(await found(index, "power")).toEqual([one.id])
    expect(await readdir(root)).toContain("index.broken")
  })

  // Catches an index that is treated as damaged because LanceDB has no temporary directory to sort in. Reopening it then ends the whole
  // test run.
  test("changes recreate the temporary directory, and are refused if that isn't possible", async () => {
    const usual = process.env["TMPDIR"]
    await using index = await open()
    const apples = passage("apples")
    await index.put([apples])
    const pears = passage("pears")
    process.env["TMPDIR"] = join(root, "tmp")
    try {
      await index.put([pears]) // the directory is missing
      await rm(join(root, "tmp"), { recursive: true })
      await writeFile(join(root, "tmp"), "")
      await expect(index.put([passage("plums")])).rejects.toMatchObject({ code: "unavailable" })
    } finally {
      if (usual === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = usual
    }
    expect(await found(index, "apples")).toEqual([apples.id])
    expect(await found(index, "pears")).toEqual([pears.id])
    expect(await readdir(root)).not.toContain("index.broken")
  })

  // Catches changes to a foreign directory that has replaced the data directory. A failed change, or a search that finds other files, could
  // mark its index, set it aside as damaged or rewrite it.
  test("nothing is changed in a directory that no longer belongs to the box", async () => {
    let kept = true
    const requireIntact = () => {
      if (!kept) throw new AppError("unavailable", sentence("core.data_moved"))
    }
    const dataDirectory = { isInPlace: () => kept, requireIntact }
    {
      await using index = await openPassageIndex({
        directory,
        passages: stream,
        logger: silent,
        dataDirectory,
      })
      await rebuilt(index)
      await index.put([passage("apples")])
      kept = false
      await rm(directory, { recursive: true })
      await mkdir(join(directory, "tables", "passages.lance"), { recursive: true })
      await writeFile(join(directory, "index.json"), "another's")
      await writeFile(join(directory, "tables", "passages.lance", "data"), "another's")
      await expect(index.put([passage("pears")])).rejects.toMatchObject({ code: "unavailable" })
      await index.keyword("apples", [folder], 5).catch(() => [])
    }
    expect(await readFile(join(directory, "index.json"), "utf8")).toBe("another's")
    expect(await readdir(root)).toEqual(["index"])
    expect(await readdir(directory, { recursive: true })).toEqual([
      "index.json",
      "tables",
      join("tables", "passages.lance"),
      join("tables", "passages.lance", "data"),
    ])
  })

  // Catches a dictionary that is rebuilt once and stays empty after the next damage.
  test("damaged words are rebuilt each time", async () => {
    const apples = passage("apples harbour")
    const pears = passage("pears ledger", { vectorId: otherFolder })
    {
      await using index = await open()
      await rebuilt(index)
      await index.put([apples, pears])
    }
    const damage = (vectorId: string) => writeFile(join(directory, "terms", vectorId), "\n")
    await using index = await open()
    await damage(folder)
    expect(await found(index, "harbuor")).toEqual([])
    await expect.poll(() => found(index, "harbuor")).toEqual([apples.id])
    await damage(otherFolder)
    expect(await found(index, "legder", [otherFolder])).toEqual([])
    await expect.poll(() => found(index, "legder", [otherFolder])).toEqual([pears.id])
  })

  // Catches an index that no longer stores, finds or compares anything and is never set aside.
  test.each(["a write", "the comparison after a crash"])(
    "a zeroed newest manifest is detected by %s",
    async (by) => {
      const kept = passage("survives the power cut")
      const before = await open()
      await rebuilt(before)
      await before.put([kept])
      if (by === "a write") await before[Symbol.asyncDispose]()
      const manifest = await newestManifest()
      for (const path of [manifest, join(dirname(manifest), "latest_version_hint.json")])
        await writeFile(path, Buffer.alloc((await stat(path)).size))
      const late = passage("written after the power cut")
      await using index = await open()
      if (by === "a write") await index.put([late])
      await rebuilt(index)
      expect((await found(index, "power")).sort()).toEqual([kept.id, late.id].sort())
    },
  )

  test.each(["data", "_indices"])(
    "damaged files in %s are detected by the search and repaired",
    async (part) => {
      const many = Array.from({ length: 300 }, (_, number) => passage(`damaged ${number}`))
      {
        await using index = await open()
        await rebuilt(index)
        await index.put(many)
      }
      const base = join(directory, "tables", "passages.lance", part)
      for (const entry of await readdir(base, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) await truncate(join(entry.parentPath, entry.name), 10)
      }
      await using index = await open()
      await index.keyword("7", [folder], 5)
      await rebuilt(index)
      expect(await found(index, "7")).toEqual([many[7]?.id])
    },
  )

  test("another embedding model causes the index to be rebuilt", async () => {
    const one = passage("vectors of two kinds", { embedding: Float32Array.of(1, 0) })
    {
      await using index = await open({ modelId: "first", dimensions: 2 })
      await index.put([one])
    }
    live = [{ ...one, embedding: Float32Array.of(0, 1, 0) }]
    await using index = await open({ modelId: "second", dimensions: 3 })
    await rebuilt(index)
    expect(await index.semantic(Float32Array.of(0, 1, 0), [folder], 5)).toMatchObject([{ id: one.id }])
  })

  test("after a crash the index is compared with the passages: gaps filled, leftovers removed", async () => {
    const embedding = { modelId: "m", dimensions: 2 }
    const stale = passage("stale leftover")
    const kept = passage("kept entry")
    const lost = passage("lost entry")
    await using crashed = await open(embedding) // still open when the index is opened again, as after a crash
    await rebuilt(crashed)
    await crashed.removeFile(lost.fileId)
    live = [{ ...kept, embedding: Float32Array.of(1, 0) }, lost]
    await using index = await open(embedding)
    await rebuilt(index)
    expect(await found(index, stale.text)).toEqual([])
    expect((await found(index, "entry")).sort()).toEqual([kept.id, lost.id].sort())
    expect(await index.semantic(Float32Array.of(1, 0), [folder], 5)).toMatchObject([{ id: kept.id }])
  })

  // Catches words of a deleted document that stay in the index permanently because the box was shutting down.
  test.each([
    ["while it closes", async (index: PassageIndex) => ({ closed: index[Symbol.asyncDispose]() })],
    [
      "once it has closed",
      async (index: PassageIndex) => ({ closed: Promise.resolve(await index[Symbol.asyncDispose]()) }),
    ],
    ["in a run that never used it", async () => ({ closed: Promise.resolve() })],
  ])("passages that the index couldn't remove %s are removed after the next start", async (when, closing) => {
    const [kept, gone] = [passage("kept word"), passage("gone word")]
    {
      await using index = await open()
      await index.put([kept, gone])
      await rebuilt(index)
    }
    const ending = await open()
    const { closed } = await closing(ending)
    live = [kept] // the state of the database
    if (!when.includes("never")) await ending.removeFile(gone.fileId).catch(() => undefined)
    await closed
    // Nothing else happens, as if the box were killed before it used the index.
    await using index = await open()
    await rebuilt(index)
    expect(await found(index, "word")).toEqual([kept.id])
  })

  test("passages removed while the index is built stay removed", async () => {
    const gone = passage("removed meanwhile")
    const kept = passage("kept meanwhile")
    const gate = Promise.withResolvers<void>()
    await using index = await openPassageIndex({
      directory,
      logger: silent,
      passages: async function* () {
        await gate.promise
        yield* stream()
      },
    })
    expect(index.state.status).toBe("rebuilding")
    await index.removeFile(gone.fileId)
    gate.resolve()
    await rebuilt(index)
    expect(await found(index, "meanwhile")).toEqual([kept.id])
  })
})

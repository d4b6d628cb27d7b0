import { openTestDatabase } from "../../../../core/database/testing/test-database.ts"
import { randomBytes } from "node:crypto"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createNoteStore, estimateCost } from "./note-store.ts"

const getModel = (kind: "local" | "remote") => ({
  model: { id: "m", kind, contextSize: 8_192, vision: false, callsFunctions: false },
})

// Catches an estimate that never learns the model's speed, or learns it from parts whose time is mainly waiting.
test("estimates reading time from previous parts", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-speed-"))
  await using database = await openTestDatabase(join(directory.path, "casella.sqlite"))
  const notes = createNoteStore(database.db)
  expect(await estimateCost(notes, getModel("local"), 300_000)).toMatchObject({
    seconds: 1_080,
    isMeasured: false,
  })
  expect(await estimateCost(notes, getModel("remote"), 300_000)).toMatchObject({
    seconds: 58,
    isMeasured: false,
  })
  const read = (characters: number, milliseconds: number) =>
    notes.keep({
      model: "local/m",
      question: randomBytes(32),
      hash: randomBytes(32),
      fileIds: [],
      notes: [],
      characters,
      milliseconds,
      tokens: null,
    })
  await read(50, 2_000) // too small to measure the speed
  expect(await estimateCost(notes, getModel("local"), 300_000)).toMatchObject({ isMeasured: false })
  for (let part = 0; part < 30; part++) await read(10_000, 5_000)
  for (let part = 0; part < 5; part++) await read(10, 2_000)
  expect(await estimateCost(notes, getModel("local"), 300_000)).toMatchObject({
    seconds: 155,
    isMeasured: true,
  })
  expect(await estimateCost(notes, getModel("remote"), 300_000)).toMatchObject({
    seconds: 58,
    isMeasured: false,
  })
})

// Catches minutes shown as seconds for a model whose readings fail, tokens estimated from the characters of another language, and time for
// a whole second document when small parts are combined.
test("includes failed parts and their token counts in the estimate", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-speed-"))
  await using database = await openTestDatabase(join(directory.path, "casella.sqlite"))
  const notes = createNoteStore(database.db)
  const cost = { characters: 3_000, milliseconds: 60_000 }
  await notes.storeCost("local/m", { ...cost, tokens: 6_000 })
  await notes.storeCost("local/m", { ...cost, tokens: null })
  expect(await estimateCost(notes, getModel("local"), 12_000)).toEqual({
    seconds: 300,
    tokens: 24_000,
    isMeasured: true,
  })
  expect(await notes.remembered({ model: "local/m", question: randomBytes(32) }, [])).toBe(0)
})

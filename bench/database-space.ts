import { closeSync, fsyncSync, openSync, statSync } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import SqliteDatabase from "better-sqlite3"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { openSqlite } from "../src/box/core/database/sqlite/open-sqlite.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { convertDatabase } from "../src/box/core/database/sqlite/space/convert-database.ts"
import { elapsed } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost } from "./watched-box.ts"

const megabyte = 2 ** 20
const rows = 400_000
const rowBytes = 2_000
const keepEvery = 10
const maxSliceMs = 50

/** A database that loses nine tenths of its rows: how long it takes to free their space, and how long others wait in the meantime. */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const path = join(directory, "casella.sqlite")
  await mkdir(join(directory, "tmp"))
  const getSize = () => statSync(path).size / megabyte
  try {
    await openSqlite(path)[Symbol.asyncDispose]()
    fill(path)
    const before = getSize()
    const { slices, seconds, longest } = await releaseFreePages(path)
    const after = getSize()
    makeOld(path)
    const oldSize = getSize()
    const conversion = await elapsed(() => convertDatabase(path, spawnNodeChild, silentLogger))
    return [
      { name: "database before", value: before, unit: "MB" },
      { name: "… and after nine tenths of its rows were deleted", value: after, unit: "MB" },
      { name: "giving back", value: seconds, unit: "s" },
      { name: "… slices", value: slices, unit: "" },
      atMost("… most processor time of one", longest, "ms", maxSliceMs),
      { name: "an earlier Casella's database, once, before", value: oldSize, unit: "MB" },
      { name: "… and after", value: getSize(), unit: "MB" },
      { name: "… time of the start that it takes", value: conversion / 1000, unit: "s" },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function fill(path: string): void {
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("synchronous = OFF")
  sqlite.pragma("secure_delete = ON")
  const insert = sqlite.prepare("INSERT INTO settings VALUES (?, ?)")
  const value = JSON.stringify("x".repeat(rowBytes))
  sqlite.transaction(() => {
    for (let key = 0; key < rows; key++) insert.run(String(key), value)
  })()
  sqlite.exec(`DELETE FROM settings WHERE CAST(key AS INTEGER) % ${keepEvery} <> 0`)
  sqlite.close()
  flush(path)
}

/** Flushes the file, as each write of the box does. Otherwise the first slice would flush all of these rows. */
function flush(path: string): void {
  const file = openSync(path, "r+")
  fsyncSync(file)
  closeSync(file)
}

async function releaseFreePages(path: string) {
  await using database = openSqlite(path)
  let slices = 0
  let longest = 0
  const startedAt = performance.now()
  for (let more = true; more; slices++) {
    const busy = process.threadCpuUsage()
    more = await database.releaseFreePages()
    const { user, system } = process.threadCpuUsage(busy)
    longest = Math.max(longest, (user + system) / 1_000)
    await pause(25)
  }
  await database.emptyLog()
  return { slices, longest, seconds: (performance.now() - startedAt) / 1_000 }
}

/** Makes a database that can't free space: adds as many rows again, then deletes those. */
function makeOld(path: string): void {
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("synchronous = OFF")
  sqlite.pragma("auto_vacuum = NONE")
  sqlite.exec("VACUUM")
  sqlite.exec("INSERT INTO settings SELECT 'more' || key, value FROM settings")
  sqlite.exec("DELETE FROM settings WHERE key LIKE 'more%'")
  sqlite.close()
}

if (import.meta.main) printResults(await run())

import { createRequire } from "node:module"
import type * as Arrow from "apache-arrow"
import type { AnalysedPassage } from "../text/search-text.ts"

/** The variant that LanceDB itself loads, so that no second one is loaded. */
const { Field, FixedSizeList, Float32, Schema, Table, Utf8, Vector, makeData, vectorFromArray } =
  createRequire(import.meta.url)("apache-arrow") as typeof Arrow

/** One row: the passage's ids, its analysed text and, with an embedding model, its vector. The text stays in SQLite. */
export interface PassageRow {
  id: string
  vectorId: string
  fileId: string
  text: AnalysedPassage
  embedding: Float32Array | undefined
}

/** Returns the columns of the passage table. */
export function tableSchema(dimensions: number | undefined): Arrow.Schema {
  const columns = [
    ...["id", "vectorId", "fileId"].map((name) => new Field(name, new Utf8(), false)),
    ...["words", "grams", "language"].map((name) => new Field(name, new Utf8(), true)),
  ]
  return new Schema(
    dimensions === undefined ? columns : [...columns, new Field("embedding", vectorType(dimensions), true)],
  )
}

function vectorType(dimensions: number): Arrow.FixedSizeList<Arrow.Float32> {
  return new FixedSizeList(dimensions, new Field("item", new Float32(), true))
}

/** Returns the rows in the form that LanceDB accepts. */
export function arrowRows(rows: PassageRow[], dimensions: number | undefined): Arrow.Table {
  const column = (value: (row: PassageRow) => string | null) => vectorFromArray(rows.map(value), new Utf8())
  const columns = {
    id: column((row) => row.id),
    vectorId: column((row) => row.vectorId),
    fileId: column((row) => row.fileId),
    words: column((row) => row.text.words),
    grams: column((row) => row.text.grams),
    language: column((row) => row.text.language),
  }
  return dimensions === undefined
    ? new Table(columns)
    : new Table({ ...columns, embedding: new Vector([embeddingData(rows, dimensions)]) })
}

/** Copies the vectors into one flat buffer, which is 20 times faster than passing arrays of numbers to LanceDB. */
function embeddingData(
  rows: PassageRow[],
  dimensions: number,
): Arrow.Data<Arrow.FixedSizeList<Arrow.Float32>> {
  const values = new Float32Array(rows.length * dimensions)
  const present = new Uint8Array(Math.ceil(rows.length / 8))
  let nullCount = 0
  for (const [position, { embedding }] of rows.entries()) {
    if (embedding) {
      values.set(embedding, position * dimensions)
      present[position >> 3] = (present[position >> 3] ?? 0) | (1 << (position & 7))
    } else nullCount++
  }
  const child = makeData({ type: new Float32(), length: values.length, nullCount: 0, data: values })
  return makeData({
    type: vectorType(dimensions),
    length: rows.length,
    nullCount,
    nullBitmap: nullCount > 0 ? present : null,
    child,
  })
}

import * as lancedb from "@lancedb/lancedb"
import { withoutLeftovers } from "../../../core/files/temporary-files.ts"

const indexName = "embedding_idx"
/** With fewer vectors than this, comparing all of them is fast enough, and exact. */
const vectorsMinimum = 2_000
/** The index is retrained when the table has grown by this factor since the last training. */
const retrainFactor = 2
/** Number of parts at which the index is also retrained. Each optimisation adds a part, and LanceDB merges no files across parts. */
const maxParts = 16
/** LanceDB merges partitions with far fewer rows whenever it optimises. */
const vectorsPerPartition = 2_500

/** The index of the table's vectors, which is retrained as the table grows. */
export async function openVectorIndex(table: lancedb.Table) {
  const stats = () => table.indexStats(indexName)
  const count = () => table.countRows("embedding IS NOT NULL")
  /** Number of vectors when the index was trained. */
  let trained = (await stats())?.numIndexedRows ?? 0

  async function trainOn(vectors: number): Promise<void> {
    const config = lancedb.Index.ivfFlat({ distanceType: "cosine", numPartitions: partitions(vectors) })
    // LanceDB leaves the sorted vectors there (lance-format/lance #8992).
    await withoutLeftovers("shuffle_data.lance", () =>
      table.createIndex("embedding", { config, replace: true, name: indexName }),
    )
    trained = vectors
  }

  return {
    partitions: () => partitions(trained),

    /** Training takes a second or two per 100,000 vectors, so it is simply repeated when the index has become too coarse. */
    async train(): Promise<void> {
      const parts = trained > 0 ? ((await stats())?.numIndices ?? 0) : 0
      const enough = Math.max(vectorsMinimum, parts > maxParts ? 0 : trained * retrainFactor)
      if ((await table.countRows()) < enough) return
      const vectors = await count()
      if (vectors >= enough) await trainOn(vectors)
    },

    /** Rebuilds the index from the current vectors, because it contains copies of removed ones too. */
    async renew(): Promise<void> {
      if (trained === 0) return
      const vectors = await count()
      if (vectors > 0) return trainOn(vectors)
      await table.dropIndex(indexName)
      trained = 0
    },
  }
}

function partitions(vectors: number): number {
  return Math.max(1, Math.round(vectors / vectorsPerPartition))
}

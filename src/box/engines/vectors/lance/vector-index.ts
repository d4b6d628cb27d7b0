import * as lancedb from "@lancedb/lancedb"
import { withoutLeftovers } from "../../../core/files/temporary-files.ts"

const indexName = "embedding_idx"
/** Vectors under which looking at all of them is fast enough, and exact. */
const vectorsMinimum = 2_000
/** The index is trained anew when the table has grown by this since. */
const retrainFactor = 2
/** … or has so many parts: each optimisation adds one, and LanceDB joins no files that are in different ones. */
const mostParts = 16
/** LanceDB joins partitions of much fewer rows whenever it optimises. */
const vectorsPerPartition = 2_500

/** The index over the table's vectors, which is trained again as they become more. */
export async function openVectorIndex(table: lancedb.Table) {
  const stats = () => table.indexStats(indexName)
  const count = () => table.countRows("embedding IS NOT NULL")
  /** Vectors at the time the index was trained. */
  let trained = (await stats())?.numIndexedRows ?? 0

  async function trainOn(vectors: number): Promise<void> {
    const config = lancedb.Index.ivfFlat({ distanceType: "cosine", numPartitions: partitions(vectors) })
    // LanceDB leaves the vectors there that it sorted (lance-format/lance #8992).
    await withoutLeftovers("shuffle_data.lance", () =>
      table.createIndex("embedding", { config, replace: true, name: indexName }),
    )
    trained = vectors
  }

  return {
    partitions: () => partitions(trained),

    /** Takes a second or two per 100,000 vectors, so it is simply done again when it has become too coarse. */
    async train(): Promise<void> {
      const parts = trained > 0 ? ((await stats())?.numIndices ?? 0) : 0
      const enough = Math.max(vectorsMinimum, parts > mostParts ? 0 : trained * retrainFactor)
      if ((await table.countRows()) < enough) return
      const vectors = await count()
      if (vectors >= enough) await trainOn(vectors)
    },

    /** Makes it anew from the vectors that are there: it holds copies, also of those that were removed. */
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

import type { Job } from "./job.ts"

/**
 * The next jobs: the highest priority first, and among equals one from each folder in turn, beginning after the folder
 * that was served last, so that a large folder doesn't hold up a small one.
 */
export function chooseJobs(waiting: readonly Job[], limit: number, lastFolder: string): Job[] {
  const byFolder = Map.groupBy(waiting, (job) => job.folderId)
  const folders = [...byFolder.keys()].sort()
  const after = folders.filter((id) => id > lastFolder)
  const turns = [...after, ...folders.slice(0, folders.length - after.length)].map((id) =>
    (byFolder.get(id) ?? []).toSorted((a, b) => b.priority - a.priority || (a.fileId < b.fileId ? -1 : 1)),
  )
  const chosen: Job[] = []
  while (chosen.length < limit) {
    const highest = Math.max(...turns.map((jobs) => jobs[0]?.priority ?? -Infinity))
    if (highest === -Infinity) break
    for (const jobs of turns) {
      if (jobs[0]?.priority !== highest || chosen.length >= limit) continue
      chosen.push(...jobs.splice(0, 1))
    }
  }
  return chosen
}

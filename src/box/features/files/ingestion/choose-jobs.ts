import type { Job } from "./job.ts"

/** The last served person, and the last served folder of each person. */
export interface LastServed {
  person: string
  folders: Map<string, string>
}

export const createLastServed = (): LastServed => ({ person: "", folders: new Map() })

/**
 * Chooses the next jobs. People take turns, starting after the last served person. Each person's most urgent jobs come first. Among equally
 * urgent ones, folders take turns, so that a large folder doesn't delay a small one.
 *
 * @param last is updated
 */
export function chooseJobs(waiting: readonly Job[], limit: number, last: LastServed): Job[] {
  const byPerson = Map.groupBy(waiting, (job) => job.ownerId)
  const chosen: Job[] = []
  while (chosen.length < limit) {
    const person = findNextId(byPerson.keys(), last.person)
    if (person === undefined) break
    const jobs = byPerson.get(person) ?? []
    const job = getNext(jobs, last.folders.get(person) ?? "")
    if (!job) {
      byPerson.delete(person)
      continue
    }
    jobs.splice(jobs.indexOf(job), 1)
    chosen.push(job)
    last.person = person
    last.folders.set(person, job.folderId)
  }
  return chosen
}

function getNext(jobs: readonly Job[], lastFolder: string): Job | undefined {
  const highest = jobs.reduce((most, { priority }) => Math.max(most, priority), -Infinity)
  const urgent = jobs.filter(({ priority }) => priority === highest)
  const folder = findNextId(
    urgent.map(({ folderId }) => folderId),
    lastFolder,
  )
  const [first, ...others] = urgent.filter(({ folderId }) => folderId === folder)
  return others.reduce((least, job) => (least && job.fileId < least.fileId ? job : least), first)
}

/** Returns the next ID in alphabetical order, or the first one after the last. */
function findNextId(ids: Iterable<string>, last: string): string | undefined {
  let first: string | undefined
  let next: string | undefined
  for (const id of ids) {
    if (first === undefined || id < first) first = id
    if (id > last && (next === undefined || id < next)) next = id
  }
  return next ?? first
}

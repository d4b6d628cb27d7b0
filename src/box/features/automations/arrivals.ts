import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AnyTransaction } from "../../core/database/database.ts"
import type { Arrival, AutomationContext } from "./context.ts"
import { getCause, getTrigger, type AutomationRow } from "./store.ts"

/** Maximum number of alternatives from all braces together. */
const maxAlternatives = 50

/**
 * Whether a file's path in its folder matches a pattern: `*` and `?` match characters of a name, `**` any number of folders, `{a,b}` one of
 * several texts. A pattern without a slash matches the file's name only. Case is ignored. The time is proportional to both lengths for any
 * input, because users write patterns and strangers name files.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.toLowerCase()
  const given = path.toLowerCase()
  const subject = wanted.includes("/") ? given : given.slice(given.lastIndexOf("/") + 1)
  return getAlternatives(wanted).some((each) =>
    matchesEach(each.replace(/^\//, "").split("/"), subject.split("/"), isAnyFolders, matchesName),
  )
}

/** Whether the pattern matches every file and so has no effect. */
export const matchesEverything = (pattern: string): boolean =>
  /^(\*|(\*\*\/)+\*|\/?(\*\*\/)*\*\*)$/.test(pattern)

/** False if its braces aren't closed or produce too many patterns. */
export const isPattern = (pattern: string): boolean => getAlternatives(pattern).length > 0

/** Returns the patterns that a pattern with braces expands to; empty if there are too many or the braces aren't closed. */
function getAlternatives(pattern: string): string[] {
  let known = [pattern]
  for (;;) {
    const next = known.flatMap((each) => {
      const [all, before = "", inner = "", after = ""] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(each) ?? []
      return all === undefined ? [each] : inner.split(",").map((one) => before + one + after)
    })
    if (next.length > maxAlternatives) return []
    if (next.length === known.length && next.every((each, at) => each === known[at]))
      return next.some((each) => /[{}]/.test(each)) ? [] : next
    known = next
  }
}

const isAnyFolders = (part: string) => part === "**"

const matchesName = (pattern: string, name: string): boolean =>
  matchesEach(
    Array.from(pattern),
    Array.from(name),
    (part) => part === "*",
    (part, character) => part === "?" || part === character,
  )

/** Whether a sequence matches a pattern in which some parts match any number of elements. Only the last of these parts is ever retried. */
function matchesEach(
  pattern: readonly string[],
  subject: readonly string[],
  isAny: (part: string) => boolean,
  isSame: (part: string, element: string) => boolean,
): boolean {
  let [at, from, last, tried] = [0, 0, -1, 0]
  while (from < subject.length) {
    const part = pattern[at]
    if (part !== undefined && isAny(part)) {
      last = at++
      tried = from
    } else if (part !== undefined && isSame(part, subject[from] ?? "")) {
      at++
      from++
    } else if (last >= 0) {
      at = last + 1
      from = ++tried
    } else return false
  }
  return pattern.slice(at).every(isAny)
}

/** Maximum number of times that an automation may be triggered by its own work. */
const maxRounds = 2
/** Maximum number of earlier runs that are examined for this. */
const maxChainLength = 20

/**
 * Adds a run for each file that an automation waits for. Returns whether any was added, and whether one was stopped because it triggers
 * itself.
 */
export async function takeArrivals(
  deps: AutomationContext,
): Promise<{ isAdded: boolean; isCircling: boolean }> {
  const { store, runs, files } = deps
  let getRights = (_automation: AutomationRow): FolderRights => noRights
  let isAdded = false
  let isCircling = false
  const write = async (transaction: AnyTransaction, arrivals: Arrival[]) => {
    const waiting = new Map<string, AutomationRow[]>()
    for (const arrival of arrivals) {
      const { folderId } = arrival
      const known = waiting.get(folderId) ?? (await store.waitingFor(transaction, folderId))
      waiting.set(folderId, known)
      for (const automation of known) if (await add(transaction, automation, arrival)) isAdded = true
    }
  }

  async function add(
    transaction: AnyTransaction,
    automation: AutomationRow,
    { fileId, revision, isNew, path }: Arrival,
  ): Promise<boolean> {
    const trigger = getTrigger(automation)
    if (trigger.kind !== "file" || path === null) return false
    if (!trigger.on.includes(isNew ? "added" : "changed")) return false
    const { mayRead, isOwn } = getRights(automation)
    // If the owner may no longer read the folder, the run fails, whatever the file's name is: otherwise patterns would reveal it.
    if (mayRead && trigger.match !== null && !matchesPath(trigger.match, path)) return false
    // A standing question is asked of the folder's content at the time of the run, so one queued run is enough for all files.
    if (automation.watch === 1 && (await runs.isWaiting(transaction, automation.id))) return false
    const circles = (await countRounds(transaction, automation, fileId)) >= maxRounds
    const refusal = circles ? new AppError("conflict", sentence("automations.circle")).toBody() : null
    const named = mayRead && { fileName: path.slice(path.lastIndexOf("/") + 1) }
    const cause = { kind: "file", fileId, ...named, revision } as const
    const run = await runs.add(transaction, automation, cause, { refusal })
    if (!run) return false
    if (circles) isCircling = true
    else if (isOwn)
      await deps.noteMatched(transaction, { fileId, runId: run.id, automation: automation.name })
    return true
  }

  /** Counts how many consecutive runs of this automation led to a file, among runs that files triggered. */
  async function countRounds(
    transaction: AnyTransaction,
    { id, ownerId }: AutomationRow,
    fileId: string,
  ): Promise<number> {
    let count = 0
    let before: string | null = null
    for (let link = 0; link < maxChainLength; link++) {
      const chatId = await deps.findFilingChat(transaction, fileId, before)
      const run = chatId === null ? undefined : await runs.within(transaction, ownerId, chatId)
      if (!run) return count
      if (run.automationId === id) count++
      const cause = getCause(run)
      if (cause.kind !== "file") return count
      fileId = cause.fileId
      before = run.id
    }
    return count
  }

  do getRights = await findRights(deps)
  while ((await files.take(write)) > 0)
  return { isAdded, isCircling }
}

/** The rights of an automation's owner in the folder whose files it waits for. */
interface FolderRights {
  mayRead: boolean
  isOwn: boolean
}
const noRights: FolderRights = { mayRead: false, isOwn: false }

/** Returns a function that looks up the rights of an automation's owner in its folder. All owners are looked up at once. */
async function findRights({
  store,
  findUnusableFolders,
  findOwnFolders,
}: Pick<AutomationContext, "store" | "findUnusableFolders" | "findOwnFolders">): Promise<
  (automation: AutomationRow) => FolderRights
> {
  const known = new Map<string, Map<string, FolderRights>>()
  for (const [ownerId, folderIds] of await store.awaitedByOwner()) {
    const unusable = await findUnusableFolders(ownerId, folderIds)
    const own = await findOwnFolders(ownerId, folderIds)
    const getRights = (id: string) => ({ mayRead: !unusable.includes(id), isOwn: own.includes(id) })
    known.set(ownerId, new Map(folderIds.map((id) => [id, getRights(id)])))
  }
  return ({ ownerId, folderId }) => known.get(ownerId)?.get(folderId ?? "") ?? noRights
}

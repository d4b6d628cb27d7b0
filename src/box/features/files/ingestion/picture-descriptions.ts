import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import type { Location } from "../../../../shared/contract/location.ts"
import { type Block, ParseFailure, type ParserInput, type ScannedPages } from "../../../parsers/parser.ts"
import { withDescriptions } from "../../../parsers/readers.ts"
import { addHiddenMark } from "../../../parsers/text/hidden-text.ts"
import type { Described, PictureDescriber } from "../descriptions/describe-pictures.ts"
import {
  describeUndescribed,
  getFirstPage,
  type Job,
  mayBeTransient,
  ModelUnavailable,
  type WaitingPages,
  type WaitingScan,
} from "./job.ts"

type Obstacles = Pick<PictureDescriber, "getObstacle">

/** The descriptions of a document that was just read, or why there will be none. */
export interface DescriptionPlan {
  describesPictures: boolean
  notes: FileReason[]
  /** The readers, with the descriptions that they will have. */
  readers: string
}

/** Decides whether the pictures of a document are described, if its folder wants that. */
export async function planDescriptions(
  folderId: string,
  { scans, readers = "" }: { scans?: ScannedPages; readers?: string },
  describer: Obstacles | null,
): Promise<DescriptionPlan> {
  const { pictures = [] } = scans ?? {}
  const obstacle = pictures.length > 0 ? await getObstacle(describer, folderId) : null
  if (!obstacle) return { describesPictures: true, notes: [], readers: withDescriptions(readers, true) }
  const places = pictures.map(({ location }) => describePlace(location))
  return { describesPictures: false, notes: [describeUndescribed(places, obstacle)], readers }
}

const getObstacle = async (describer: Obstacles | null, folderId: string) =>
  describer ? describer.getObstacle(folderId) : reason("vision_model_missing")

/** Number of attempts after which the pictures of a document aren't described for now, if the model fails. */
const maxModelFailures = 2

interface Describing {
  /** Describes pictures; null: nothing can. */
  describer: PictureDescriber | null
  /** Opens the document with the picture. */
  open(): Promise<AsyncDisposable & { input: ParserInput }>
}

interface DescriptionStep {
  left: WaitingPages
  /** The description, if there is one. */
  blocks: Block[]
  /** The readers of the document from now on; undefined: as before. */
  readers?: string
}

/** Describes the next picture of a document. Throws `ModelUnavailable` if the model fails for the first time. */
export async function describeNext(
  job: Job,
  waiting: WaitingPages,
  { describer, open }: Describing,
  signal: AbortSignal,
): Promise<DescriptionStep> {
  if (!job.wantsDescriptions) return { left: dropDescriptions(waiting), blocks: [] }
  const obstacle = await getObstacle(describer, job.folderId)
  if (!describer || obstacle) return leaveUndescribed(job, waiting, obstacle)
  const scan = getFirstPage(waiting)
  const described = await describeScan(job, describer, open, signal)
  if ("unavailable" in described) {
    const { unavailable, mayRecoverSoon } = described
    if (mayRecoverSoon && job.attempts < maxModelFailures) throw new ModelUnavailable(unavailable)
    return leaveUndescribed(job, waiting, unavailable)
  }
  const { written, failed, ...descriptions } = waiting.descriptions
  const left = { ...waiting, pages: waiting.pages.slice(1) }
  if ("refused" in described) {
    const cause = described.refused
    const all = [...failed, describePlace(scan.picture?.location)]
    return { left: { ...left, descriptions: { ...descriptions, written, failed: all, cause } }, blocks: [] }
  }
  return {
    left: { ...left, descriptions: { ...descriptions, written: written + 1, failed } },
    blocks: [toBlock(scan, described.text)],
  }
}

/** A picture that can't be read has no description, like one that the model refuses. */
async function describeScan(
  job: Job,
  describer: PictureDescriber,
  open: Describing["open"],
  signal: AbortSignal,
): Promise<Described> {
  const { fileId, folderId, ownerId } = job
  try {
    await using opened = await open()
    return await describer.describe({ fileId, folderId, ownerId, input: opened.input }, signal)
  } catch (error) {
    if (!(error instanceof ParseFailure) || mayBeTransient(error, job)) throw error
    return { refused: error.reason }
  }
}

function toBlock({ picture }: WaitingScan, text: string): Block {
  const { location, area, isHidden } = picture ?? {}
  const block: Block = {
    kind: "image",
    text,
    location: { ...location, described: true },
    ...(area && { area }),
  }
  return isHidden ? addHiddenMark(block) : block
}

/** The pictures that are left are described when the file is read again. */
function leaveUndescribed(job: Job, waiting: WaitingPages, why: FileReason | null): DescriptionStep {
  return {
    left: dropDescriptions(waiting, why ?? reason("vision_model_missing")),
    blocks: [],
    ...(job.readers !== null && { readers: withDescriptions(job.readers, false) }),
  }
}

/** Returns the waiting pages without the pictures that are still to be described, with the cause for their note, if there is one. */
function dropDescriptions(waiting: WaitingPages, cause?: FileReason): WaitingPages {
  const { descriptions } = waiting
  const left = waiting.pages.filter(({ isDescribed }) => isDescribed)
  const pages = waiting.pages.filter(({ isDescribed }) => !isDescribed)
  if (!cause)
    return { ...waiting, pages, descriptions: { ...descriptions, count: descriptions.count - left.length } }
  const failed = [...descriptions.failed, ...left.map(({ picture }) => describePlace(picture?.location))]
  return { ...waiting, pages, descriptions: { ...descriptions, failed, cause } }
}

/** Describes the place of a picture for a note, in the same way in every language. */
function describePlace({ message, entry, page, slide, sheet, heading, image }: Location = {}): string {
  const section = page === undefined && slide === undefined ? heading : undefined
  return [message, entry, page, slide, sheet, section, image].filter((part) => part !== undefined).join(" · ")
}

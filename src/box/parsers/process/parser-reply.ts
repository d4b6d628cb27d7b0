import { z } from "zod"
import { BlockKind, FileReason } from "../../../shared/contract/files.ts"
import { Location } from "../../../shared/contract/location.ts"
import { PageArea } from "../../../shared/contract/page-area.ts"
import { maxBlockCharacters } from "../parser.ts"
import { batchBlocks, batchCharacters, type ParserReply } from "./parser-protocol.ts"

/** Maximum numbers per batch, and of scans per document. More than that is never read. */
const most = {
  notes: 10_000,
  scans: 1_000_000,
  inside: 100,
  pages: 5_000,
  pictureBytes: 8 << 20,
  side: 2_048,
}

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"]
const notes = z.array(FileReason).max(most.notes)
const block = z.object({
  kind: BlockKind,
  text: z.string().max(maxBlockCharacters),
  location: Location,
  area: PageArea.optional(),
})
const scan = z.object({ page: z.int(), inside: z.array(z.int()).max(most.inside).optional() })
const size = z.object({ width: z.number().positive(), height: z.number().positive() })

/** Schema of a parser's replies. They are validated because a document may have taken control of the parser. */
export const parserReply = z.discriminatedUnion("type", [
  z.object({
    notes,
    type: z.literal("batch"),
    blocks: z
      .array(block)
      .max(batchBlocks)
      .refine(
        (all) => all.reduce((sum, { text }) => sum + text.length, 0) <= batchCharacters + maxBlockCharacters,
      ),
    done: z.boolean(),
    scans: z.object({ scans: z.array(scan).max(most.scans), pageCount: z.int() }).optional(),
  }),
  z.object({ notes, type: z.literal("recognising") }),
  z.object({ notes, type: z.literal("page-sizes"), sizes: z.array(size).max(most.pages) }),
  z.object({
    notes,
    type: z.literal("page-picture"),
    // Types that browsers display and can't execute.
    picture: z.object({ mediaType: z.enum(pictures), bytes: z.instanceof(Uint8Array) }),
  }),
  z.object({
    notes,
    type: z.literal("prepared-picture"),
    picture: z.object({
      mediaType: z.enum(["image/png", "image/jpeg"]),
      bytes: z.instanceof(Uint8Array).refine(({ byteLength }) => byteLength <= most.pictureBytes),
      width: z.int().positive().max(most.side),
      height: z.int().positive().max(most.side),
    }),
  }),
  z.object({ notes, type: z.literal("ocr-needed") }),
  z.object({
    notes,
    type: z.literal("failure"),
    reason: FileReason,
    outcome: z.enum(["failed", "skipped"]),
    transientCause: z.enum(["locked", "device", "exchanged"]).optional(),
  }),
  z.object({ notes, type: z.literal("fault"), message: z.string() }),
]) as z.ZodType<ParserReply>

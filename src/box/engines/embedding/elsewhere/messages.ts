import { z } from "zod"

/** Texts that a box that waits is to embed; it answers with the numbers of all vectors, one after the other, or `unable`. */
export const EmbedRequest = z.object({
  type: z.literal("embed"),
  model: z.object({
    /** Of its file at the box that asks. */
    path: z.string(),
    /** Of the file's content. */
    fingerprint: z.string(),
  }),
  texts: z.string().array(),
})
export type EmbedRequest = z.infer<typeof EmbedRequest>

/** That box doesn't have the model. */
export const unable = { type: "unable" } as const

import { z } from "zod"

/** Texts for a standby box to embed. It responds with the numbers of all vectors, one after another, or `unable`. */
export const EmbedRequest = z.object({
  type: z.literal("embed"),
  model: z.object({
    /** Path of the model file at the requesting box. */
    path: z.string(),
    /** Fingerprint of the file's content. */
    fingerprint: z.string(),
  }),
  texts: z.string().array(),
})
export type EmbedRequest = z.infer<typeof EmbedRequest>

/** The standby box doesn't have the model. */
export const unable = { type: "unable" } as const

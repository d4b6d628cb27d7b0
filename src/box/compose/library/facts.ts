import type { Facts } from "../../features/facts/service.ts"
import type { Library } from "./library.ts"
import { composeReadingLibrary } from "./reading-library.ts"

/** Dates, amounts, outlines and key terms of documents; created with the first question about them. */
export function composeFacts(library: Pick<Library, "access" | "files" | "passages">): () => Promise<Facts> {
  let facts: Promise<Facts> | undefined
  const { files } = library
  const reading = composeReadingLibrary(library)
  return () =>
    (facts ??= import("../../features/facts/service.ts").then(({ createFacts }) =>
      createFacts({
        files: (userId, folderId) => reading.files({ userId, granted: [], generated: [] }, folderId),
        file: files.read,
        blocks: files.text,
      }),
    ))
}

import { useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"

/** A passage that a link names; none if its document was indexed again since. */
export const usePassage = (folderId: string, passageId: string | undefined) =>
  useQuery({
    queryKey: ["passage", folderId, passageId],
    enabled: passageId !== undefined,
    retry: false,
    queryFn: async ({ signal }) =>
      (await box.folders.passage({ params: { id: folderId, passageId: passageId ?? "" } }, { signal }))
        .passage,
  })

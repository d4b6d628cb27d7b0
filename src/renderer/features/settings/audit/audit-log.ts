import { useInfiniteQuery } from "@tanstack/react-query"
import { auditLog, type AuditGroup } from "../../../../shared/contract/audit-log.ts"
import { box } from "../../../lib/box.ts"

export const auditFilePath = auditLog.file.path

export interface AuditFilter {
  group: AuditGroup | undefined
  actorId: string | undefined
}

const pageSize = 50

/** Returns the entries, newest first, one page at a time. */
export function useAuditLog({ group, actorId }: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ["audit-log", group, actorId],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === "" ? {} : { before: pageParam }
      const filter = { ...(group && { group }), ...(actorId !== undefined && { actorId }) }
      return box.auditLog.list({ query: { limit: pageSize, ...before, ...filter } }, { signal })
    },
    initialPageParam: "",
    getNextPageParam: ({ entries, hasMore }) => (hasMore ? entries.at(-1)?.id : undefined),
    staleTime: 0,
  })
}

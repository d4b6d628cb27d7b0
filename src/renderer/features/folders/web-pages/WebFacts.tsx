import { t } from "i18next"
import { ExternalLink } from "lucide-react"
import type { FileEntry, WebCopy } from "../../../../shared/contract/files.ts"
import { useUpdateFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { ForeignLink } from "../../../ui/text/ForeignLink.tsx"
import { RefreshField } from "./RefreshField.tsx"

interface WebFactsProps {
  folderId: string
  file: FileEntry
  web: WebCopy
  owned: boolean
}

/** A web page's address, when it was fetched, and how often it is fetched again. */
export function WebFacts({ folderId, file, web, owned }: WebFactsProps) {
  const update = useUpdateFile(folderId)
  const { problem } = web
  return (
    <div className="mb-4 flex flex-col gap-3">
      <p className="text-sm break-all">
        <ForeignLink address={web.url} className="rounded text-accent hover:underline">
          {web.url} <ExternalLink aria-hidden className="inline size-3.5" />
        </ForeignLink>
        <span className="block text-xs text-faint">
          {t("folders:web.fetched", { moment: formatFullMoment(web.fetchedAt) })}
        </span>
      </p>
      {problem && (
        <Note kind="warning">
          {t("folders:web.problem", {
            moment: formatFullMoment(problem.at),
            why: toPageLanguage(problem.error, problem.sentence),
          })}
        </Note>
      )}
      {owned && (
        <RefreshField
          hours={web.refreshHours}
          disabled={update.isPending}
          onChange={(refreshHours) => update.mutate({ fileId: file.id, patch: { refreshHours } })}
          error={update.error ? describeError(update.error) : undefined}
        />
      )}
    </div>
  )
}

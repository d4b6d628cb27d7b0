import { t } from "i18next"
import { useState } from "react"
import { useForgetAll, useMemories } from "../../data/memory.ts"
import { describeError } from "../../lib/box.ts"
import { useDebounced } from "../../lib/debounced.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { showToast } from "../../lib/toasts.ts"
import { MemoryRow } from "./MemoryRow.tsx"
import { RememberForm } from "./RememberForm.tsx"

/** The facts that assistants remember about the signed-in user, with search, edit and delete. */
export function MemorySection() {
  const [search, setSearch] = useState("")
  const wanted = useDebounced(search.trim())
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useMemories(wanted)
  const memories = data?.pages.flatMap((page) => page.memories) ?? []
  const total = data?.pages[0]?.pagination.total ?? 0
  const empty = data !== undefined && total === 0
  return (
    <>
      <SettingsGroup title={t("memory:section")} description={t("memory:description")}>
        <RememberForm />
      </SettingsGroup>
      <SettingsGroup
        title={t("memory:facts")}
        description={t("memory:factsDescription")}
        action={total > 0 && wanted === "" && <ForgetAll count={total} />}
      >
        {(!empty || wanted !== "") && (
          <SearchField className="mb-2" label={t("memory:search")} value={search} onChange={setSearch} />
        )}
        {error && <Note kind="error">{describeError(error)}</Note>}
        {isPending && <Spinner label={t("common:loading")} />}
        {empty && (
          <p className="rounded-lg border border-line p-4 text-sm text-soft">
            {wanted === "" ? t("memory:none") : t("memory:notFound", { search: wanted })}
          </p>
        )}
        {memories.length > 0 && (
          <ul aria-label={t("memory:facts")} className="divide-y divide-line rounded-lg border border-line">
            {memories.map((memory) => (
              <MemoryRow key={memory.id} memory={memory} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button
            variant="quiet"
            className="mt-2"
            busy={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t("memory:more")}
          </Button>
        )}
      </SettingsGroup>
    </>
  )
}

function ForgetAll({ count }: { count: number }) {
  const [confirming, setConfirming] = useState(false)
  const forgetAll = useForgetAll()
  return (
    <>
      <Button variant="danger" busy={forgetAll.isPending} onClick={() => setConfirming(true)}>
        {t("memory:forgetAll")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() =>
          forgetAll.mutate(undefined, { onError: (error) => showToast(describeError(error), "error") })
        }
        title={t("memory:forgetAllTitle", { count })}
        description={t("memory:forgetAllDescription")}
        confirmLabel={t("memory:forgetAll")}
      />
    </>
  )
}

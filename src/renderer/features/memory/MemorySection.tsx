import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { Pencil, Trash2 } from "lucide-react"
import { useState } from "react"
import { maxMemoryLength, type Memory } from "../../../shared/contract/memory.ts"
import { queryClient } from "../../data/query-client.ts"
import { box, describeError } from "../../lib/box.ts"
import { useDebounced } from "../../lib/debounced.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatFullMoment, formatMoment } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { TextField, TextAreaField } from "../../ui/controls/Field.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { LeaveQuestion, ConfirmDialog } from "../../ui/layers/Dialog.tsx"

const memoryKey = ["memory"] as const
const pageSize = 50
const refresh = () => queryClient.invalidateQueries({ queryKey: memoryKey })

/** Memories about the signed-in user, most recently changed first, one page at a time. */
function useMemories(search: string) {
  return useInfiniteQuery({
    queryKey: [...memoryKey, search],
    queryFn: ({ pageParam, signal }) =>
      box.memory.list(
        { query: { limit: pageSize, offset: pageParam, ...(search === "" ? {} : { search }) } },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore ? pagination.offset + pagination.limit : undefined,
    placeholderData: keepPreviousData,
    staleTime: 0, // models also add memories
  })
}

function useRemember() {
  return useMutation({
    mutationFn: (text: string) => box.memory.remember({ body: { text } }),
    onSuccess: refresh,
  })
}

function useChangeMemory(id: string) {
  return useMutation({
    mutationFn: (text: string) => box.memory.update({ params: { id }, body: { text } }),
    onSuccess: refresh,
  })
}

function useForget() {
  return useMutation({
    mutationFn: (id: string) => box.memory.forget({ params: { id } }),
    onSettled: refresh,
  })
}

function useForgetAll() {
  return useMutation({ mutationFn: () => box.memory.forgetAll(), onSettled: refresh })
}

/** Adds a fact for assistants to remember. */
function RememberForm() {
  const [text, setText] = useState("")
  const remember = useRemember()
  const issues = getIssues(remember.error, ["text"])
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        remember.mutate(text.trim(), { onSuccess: () => setText("") })
      }}
    >
      <div className="w-full">
        <TextField
          label={t("memory:newFact")}
          placeholder={t("memory:example")}
          value={text}
          maxLength={maxMemoryLength}
          onChange={(event) => setText(event.target.value)}
          error={issues["text"] ?? issues["other"]}
        />
      </div>
      <Button type="submit" busy={remember.isPending} disabled={text.trim() === ""}>
        {t("memory:remember")}
      </Button>
      <LeaveQuestion unsaved={text.trim() !== ""} />
    </form>
  )
}

/** Edits a fact's text. Enter saves; Esc discards the change. */
function MemoryEditor({ memory, onDone }: { memory: Memory; onDone: () => void }) {
  const [text, setText] = useState(memory.text)
  const change = useChangeMemory(memory.id)
  const issues = getIssues(change.error, ["text"])
  function save() {
    if (text.trim() === memory.text) onDone()
    else if (text.trim() !== "") change.mutate(text.trim(), { onSuccess: onDone })
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextAreaField
        ref={focusOnce}
        label={t("memory:fact")}
        value={text}
        maxLength={maxMemoryLength}
        error={issues["text"] ?? issues["other"]}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone()
          else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) save()
          else return
          event.preventDefault()
        }}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t("common:cancel")}</Button>
        <Button type="submit" variant="primary" busy={change.isPending} disabled={text.trim() === ""}>
          {t("memory:save")}
        </Button>
      </div>
      <LeaveQuestion unsaved={text.trim() !== memory.text} />
    </form>
  )
}

const focusOnce = (field: HTMLTextAreaElement | null) => field?.focus()

function MemoryRow({ memory }: { memory: Memory }) {
  const { id, text, updatedAt, writtenByScopedKey } = memory
  const [editing, setEditing] = useState(false)
  const { mutateAsync: forget, isPending } = useForget()
  const { mutateAsync: remember } = useRemember()
  const confirm = useChangeMemory(id)

  // The fact is deleted immediately, even for a model that is answering now. Undoing stores the same text again.
  async function forgetNow() {
    try {
      await forget(id)
      const undo = () => {
        remember(text).catch(showError)
      }
      showToast(t("memory:forgotten"), "info", {
        detail: text,
        actions: [{ label: t("memory:undo"), run: undo }],
      })
    } catch (error) {
      showError(error)
    }
  }

  if (editing) {
    return (
      <li className="p-3">
        <MemoryEditor memory={memory} onDone={() => setEditing(false)} />
      </li>
    )
  }
  return (
    <li className="flex items-start gap-2 py-2 pr-2 pl-3">
      <div className="min-w-0 flex-1">
        <p className="text-sm break-words whitespace-pre-wrap">{text}</p>
        <p className="text-xs text-faint" title={formatFullMoment(updatedAt)}>
          {t("memory:since", { moment: formatMoment(updatedAt) })}
        </p>
        {writtenByScopedKey && (
          <div className="mt-2">
            <Note
              kind="warning"
              action={
                <Button busy={confirm.isPending} onClick={() => confirm.mutate(text, { onError: showError })}>
                  {t("memory:confirm")}
                </Button>
              }
            >
              {t("memory:writtenByKey")}
            </Note>
          </div>
        )}
      </div>
      <IconButton label={t("memory:edit")} onClick={() => setEditing(true)}>
        <Pencil aria-hidden />
      </IconButton>
      <IconButton label={t("memory:forget")} disabled={isPending} onClick={() => void forgetNow()}>
        <Trash2 aria-hidden />
      </IconButton>
    </li>
  )
}

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
        onConfirm={() => forgetAll.mutate(undefined, { onError: showError })}
        title={t("memory:forgetAllTitle", { count })}
        description={t("memory:forgetAllDescription")}
        confirmLabel={t("memory:forgetAll")}
      />
    </>
  )
}

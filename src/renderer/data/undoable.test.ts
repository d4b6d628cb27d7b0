import { afterEach, expect, test, vi } from "vitest"
import { AppError } from "../../shared/contract/app-error.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { box } from "../lib/box.ts"
import { toastStore } from "../lib/toasts.ts"
import { createUndoable } from "./undoable.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"

afterEach(() => vi.restoreAllMocks())

// Catches a deletion that can no longer be undone and prevents the same click from undoing the others.
test("undoes the other deletions if one can't be undone", async () => {
  const undo = vi
    .spyOn(box.deletions, "undo")
    .mockImplementation(({ body: { token } }) =>
      token === "of a"
        ? Promise.reject(new AppError("not_found", sentence("deletions.gone")))
        : Promise.resolve({ success: true, kind: "chat", id: "b" }),
    )
  const refresh = vi.fn(() => Promise.resolve())
  const undoable = createUndoable<{ id: string }>({
    key: "test",
    describe: () => ({ text: "Deleted" }),
    remove: ({ id }) => Promise.resolve({ undo: { token: `of ${id}`, until: "" } }),
    refresh,
  })
  await undoable.remove({ id: "a" }, { id: "b" })
  toastStore.get().at(-1)?.actions?.[0]?.run()
  await waitFor(() => expect(refresh).toHaveBeenCalledTimes(2))
  expect(undo.mock.calls.map(([{ body }]) => body.token)).toEqual(["of a", "of b"])
  await waitFor(() => expect(toastStore.get().at(-1)?.kind).toBe("error"))
})

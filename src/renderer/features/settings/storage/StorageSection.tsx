import { t } from "i18next"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { CopiesGroup } from "./CopiesGroup.tsx"
import { useStorage } from "./storage.ts"
import { UsageGroup } from "./UsageGroup.tsx"

/** The data stored on this computer. */
export function StorageSection() {
  const { data: storage, error } = useStorage()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!storage) return <Spinner label={t("settings:storage.counting")} />
  return (
    <>
      <UsageGroup storage={storage} />
      {storage.copies.length > 0 && <CopiesGroup copies={storage.copies} />}
    </>
  )
}

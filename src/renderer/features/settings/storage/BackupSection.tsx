import { t } from "i18next"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { BackupGroup } from "./BackupGroup.tsx"
import { HeldGroup } from "./HeldGroup.tsx"
import { PlanGroup } from "./PlanGroup.tsx"
import { RestoreGroup } from "./RestoreGroup.tsx"
import { useStorage } from "./storage.ts"

/** Backup and restore of the stored data. */
export function BackupSection() {
  const { data: storage, error } = useStorage()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!storage) return <Spinner label={t("common:loading")} />
  return (
    <>
      <HeldGroup />
      <BackupGroup />
      <PlanGroup />
      <RestoreGroup restore={storage.restore} />
    </>
  )
}

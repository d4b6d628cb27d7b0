import { t } from "i18next"
import { BookOpen, FileUp, FolderOpen } from "lucide-react"
import { Link } from "wouter"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { useFileChooser } from "../../features/folders/uploads/use-file-chooser.tsx"
import type { FirstFolder } from "./use-first-folder.ts"

/** Lets the user choose where the first documents come from. */
export function DocumentsCard({ first }: { first: FirstFolder }) {
  const { openFiles, openDirectory, inputs } = useFileChooser((items) => first.addItems(items))
  const pickDirectory = shellBridge()?.pickDirectory

  async function pick() {
    const path = await pickDirectory?.()
    if (typeof path === "string") first.follow(path)
  }

  return (
    <>
      <div className="mt-3 rounded-lg border border-dashed border-line-strong px-4 py-5 text-center text-sm text-soft">
        {t("firstRun:documentsHint")}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          variant="primary"
          busy={first.isPending && !first.isExample}
          disabled={first.isPending}
          onClick={pickDirectory ? () => void pick() : openDirectory}
        >
          <FolderOpen aria-hidden /> {pickDirectory ? t("firstRun:follow") : t("firstRun:directory")}
        </Button>
        <Button disabled={first.isPending} onClick={openFiles}>
          <FileUp aria-hidden /> {t("firstRun:files")}
        </Button>
        <Button
          variant="quiet"
          busy={first.isPending && first.isExample}
          disabled={first.isPending}
          onClick={first.tryExample}
        >
          <BookOpen aria-hidden /> {t("firstRun:example")}
        </Button>
      </div>
      {pickDirectory ? (
        <p className="mt-2 text-xs text-faint">{t("firstRun:followHint")}</p>
      ) : (
        <Link
          href={routes.newFolder}
          className="mt-2 inline-block rounded text-xs text-soft underline underline-offset-2 hover:text-ink"
        >
          {t("firstRun:path")}
        </Link>
      )}
      {first.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(first.error)}</Note>
        </div>
      )}
      {inputs}
    </>
  )
}

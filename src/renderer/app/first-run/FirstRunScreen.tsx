import { t } from "i18next"
import { useState } from "react"
import { useCatalogue, useModels } from "../../data/models/models.ts"
import { hasCode } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { DropZone } from "../../features/folders/uploads/DropZone.tsx"
import { RecommendedCard } from "../../features/models/RecommendedCard.tsx"
import { DocumentsCard } from "./DocumentsCard.tsx"
import { endFirstRun } from "./first-run-done.ts"
import { ReadingCard } from "./ReadingCard.tsx"
import { StepCard } from "./StepCard.tsx"
import { useFirstFolder } from "./use-first-folder.ts"

interface FirstRunScreenProps {
  /** The folder created here. */
  folderId: string | undefined
  onFolder: (folderId: string) => void
}

/** The first-run screen: documents to start with and, next to them, a model. Both can be skipped. */
export function FirstRunScreen({ folderId, onFolder }: FirstRunScreenProps) {
  const first = useFirstFolder(onFolder)
  const [later, setLater] = useState(false)
  const { error } = useCatalogue()
  const { data: models } = useModels()
  const mayChooseModels = !hasCode(error, "forbidden")

  return (
    <DropZone invitation={t("firstRun:drop")} onItems={(items) => first.addItems(items, folderId)}>
      <section aria-label={t("firstRun:title")} className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <div className="m-auto w-full max-w-4xl px-6 py-8">
          <header className="flex items-start gap-4">
            <div className="min-w-0 flex-1">
              <h1 className="text-xl font-semibold tracking-tight">{t("firstRun:title")}</h1>
              <p className="mt-1 text-soft">
                {models?.chat?.kind === "remote" ? t("firstRun:introServer") : t("firstRun:intro")}
              </p>
            </div>
            {folderId === undefined && (
              <Button variant="quiet" onClick={endFirstRun}>
                {t("firstRun:skip")}
              </Button>
            )}
          </header>
          <div className="mt-5 grid items-start gap-4 lg:grid-cols-2">
            <StepCard title={t("firstRun:documents")}>
              {folderId === undefined ? (
                <DocumentsCard first={first} />
              ) : (
                <ReadingCard folderId={folderId} isExample={first.isExample} />
              )}
            </StepCard>
            {mayChooseModels && (
              <StepCard title={t("models:card.title")}>
                <p className="mb-3 text-sm text-soft">
                  {later ? t("models:card.laterHint") : t("models:card.why")}
                </p>
                {!later && <RecommendedCard onLater={() => setLater(true)} />}
              </StepCard>
            )}
          </div>
        </div>
      </section>
    </DropZone>
  )
}

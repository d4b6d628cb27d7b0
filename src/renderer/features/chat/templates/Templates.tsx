import { t } from "i18next"
import { useState } from "react"
import { useModels } from "../../../data/models/models.ts"
import { useReadingEstimate } from "../../../data/chats/reading.ts"
import { createEstimateRequest } from "../composer/choices/get-reading.ts"
import type { Choices } from "../composer/choices/use-choices.ts"
import { DifferencesDialog } from "./DifferencesDialog.tsx"
import { FactsDialog } from "./FactsDialog.tsx"
import { Takes } from "./Takes.tsx"
import { WithoutModel } from "./WithoutModel.tsx"
import { createQuestion, templates, type TemplateKey, type WholeQuestion } from "./templates.ts"

interface TemplatesProps {
  chatId: string
  choices: Choices
  onAsk: (question: WholeQuestion) => void
}

/** Questions about everything that is selected, asked with one click. */
export function Templates({ chatId, choices, onAsk }: TemplatesProps) {
  const { folderIds } = choices
  const { data: models } = useModels()
  const [opened, setOpened] = useState<"differences" | "facts">()
  const needsModel = models?.chat === null
  const reading = createEstimateRequest(chatId, choices)
  const estimate = useReadingEstimate(models?.chat ? reading : undefined)
  const choose = (key: TemplateKey) =>
    key === "differences" || key === "facts" ? setOpened(key) : onAsk(createQuestion(key))
  const close = () => setOpened(undefined)
  return (
    <section aria-labelledby="templates">
      <h2 id="templates" className="mt-8 text-xs font-medium text-faint">
        {t("templates:title")}
      </h2>
      {needsModel && <WithoutModel folderId={folderIds[0]} />}
      <ul className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(14rem,1fr))] gap-2">
        {templates.map(({ key, icon: Icon }) => (
          <li key={key}>
            <button
              type="button"
              disabled={needsModel}
              onClick={() => choose(key)}
              className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line px-3 py-2.5 text-left transition-colors enabled:hover:border-line-strong enabled:hover:bg-hover disabled:opacity-50"
            >
              <Icon className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
              <span className="min-w-0">
                <span className="block text-sm font-medium">{t(`templates:${key}.name`)}</span>
                <span className="block text-xs text-faint">{t(`templates:${key}.hint`)}</span>
                {estimate && key !== "differences" && <Takes estimate={estimate} />}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {opened === "differences" && (
        <DifferencesDialog chatId={chatId} reading={reading} onAsk={onAsk} onClose={close} />
      )}
      {opened === "facts" && <FactsDialog onAsk={onAsk} onClose={close} />}
    </section>
  )
}

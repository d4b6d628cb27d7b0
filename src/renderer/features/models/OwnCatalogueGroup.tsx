import { t } from "i18next"
import type { CatalogueModel } from "../../../shared/contract/models.ts"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"

const example: { models: CatalogueModel[] } = {
  models: [
    {
      id: "our-model",
      name: "Our model",
      purpose: "chat",
      repo: "owner/name-GGUF",
      file: "name-Q4_K_M.gguf",
      revision: "main",
      sizeBytes: 2497280256,
      licence: "Apache-2.0",
      contextSize: 32768,
      memoryBytes: 3839457536,
      languages: ["mul"],
    },
  ],
}

/** Explains how to extend the list of models. */
export function OwnCatalogueGroup() {
  return (
    <SettingsGroup title={t("models:own.title")} description={t("models:own.description")}>
      <details className="text-sm">
        <summary className="w-fit rounded text-soft hover:text-ink">{t("models:own.example")}</summary>
        <pre className="mt-2 rounded-lg bg-well p-3 font-mono text-xs break-words whitespace-pre-wrap">
          {JSON.stringify(example, null, 2)}
        </pre>
        <p className="mt-2 text-xs text-faint">{t("models:own.hint")}</p>
      </details>
    </SettingsGroup>
  )
}

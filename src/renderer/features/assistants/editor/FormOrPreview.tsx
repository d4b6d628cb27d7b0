import { t } from "i18next"

interface FormOrPreviewProps {
  trying: boolean
  onChange: (trying: boolean) => void
}

/** Switches between form and preview if there isn't room for both. */
export function FormOrPreview({ trying, onChange }: FormOrPreviewProps) {
  return (
    <fieldset
      aria-label={t("assistants:preview.switch")}
      className="flex shrink-0 gap-1 border-b border-line px-4 py-1.5 @4xl:hidden"
    >
      {[false, true].map((each) => (
        <button
          key={String(each)}
          type="button"
          aria-pressed={each === trying}
          onClick={() => onChange(each)}
          className="h-8 flex-1 rounded-md px-2.5 text-sm text-soft hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {each ? t("assistants:preview.title") : t("assistants:preview.form")}
        </button>
      ))}
    </fieldset>
  )
}

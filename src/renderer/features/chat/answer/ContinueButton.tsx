import { t } from "i18next"
import { StepForward } from "lucide-react"
import { Button } from "../../../ui/controls/Button.tsx"

/** Continues an answer that was cut off. */
export function ContinueButton({ onContinue }: { onContinue: (question: string) => void }) {
  return (
    <Button className="self-start" onClick={() => onContinue(t("longChats:goOnQuestion"))}>
      <StepForward aria-hidden /> {t("longChats:goOn")}
    </Button>
  )
}

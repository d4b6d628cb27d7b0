import { t } from "i18next"
import { StepForward } from "lucide-react"
import { Button } from "../../../ui/controls/Button.tsx"

/** Has an answer that was cut go on. */
export function GoOnButton({ onGoOn }: { onGoOn: (question: string) => void }) {
  return (
    <Button className="self-start" onClick={() => onGoOn(t("longChats:goOnQuestion"))}>
      <StepForward aria-hidden /> {t("longChats:goOn")}
    </Button>
  )
}

import { CalendarClock, FileInput, MousePointerClick, Webhook, type LucideIcon } from "lucide-react"
import type { Trigger } from "../../../shared/contract/automations.ts"

export const triggerIcons: Record<Trigger["kind"], LucideIcon> = {
  schedule: CalendarClock,
  file: FileInput,
  hook: Webhook,
  manual: MousePointerClick,
}

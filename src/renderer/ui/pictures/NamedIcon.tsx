import {
  Bell,
  Bot,
  Calendar,
  CalendarClock,
  Cog,
  Contact,
  Download,
  Mail,
  MessageSquare,
  MessagesSquare,
  Mic,
  ShieldAlert,
  type LucideIcon,
} from "lucide-react"
import { lazy, Suspense } from "react"

/** The most common icons: those of the notification categories. */
const usual: Record<string, LucideIcon> = {
  Bell,
  Bot,
  Calendar,
  CalendarClock,
  Cog,
  Contact,
  Download,
  Mail,
  MessageSquare,
  MessagesSquare,
  Mic,
  ShieldAlert,
}

const OtherIcon = lazy(async () => {
  const { allIcons } = await import("./all-icons.ts")
  const byName: Record<string, LucideIcon | undefined> = allIcons
  return {
    default: function OtherIcon({ name, className, fallback }: NamedIconProps) {
      const Icon = byName[name] ?? fallback
      return <Icon className={className} aria-hidden />
    },
  }
})

interface NamedIconProps {
  /** Name of a Lucide icon in PascalCase. */
  name: string
  className: string
  /** Shown if the icon doesn't exist or isn't loaded yet. */
  fallback: LucideIcon
}

/** An icon that someone chose by name. */
export function NamedIcon({ name, className, fallback: Fallback }: NamedIconProps) {
  const Icon = Object.hasOwn(usual, name) ? usual[name] : undefined
  if (Icon) return <Icon className={className} aria-hidden />
  return (
    <Suspense fallback={<Fallback className={className} aria-hidden />}>
      <OtherIcon name={name} className={className} fallback={Fallback} />
    </Suspense>
  )
}

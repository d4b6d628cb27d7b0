import {
  Bell,
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

/** The categories' glyphs. */
const usual: Record<string, LucideIcon> = {
  Bell,
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
    default: function OtherIcon({ name, className }: NamedIconProps) {
      const Icon = byName[name] ?? Bell
      return <Icon className={className} aria-hidden />
    },
  }
})

interface NamedIconProps {
  /** A Lucide icon in PascalCase. One that doesn't exist shows as a bell. */
  name: string
  className: string
}

/** An icon that a sender chose by name. */
export function NamedIcon({ name, className }: NamedIconProps) {
  const Icon = Object.hasOwn(usual, name) ? usual[name] : undefined
  if (Icon) return <Icon className={className} aria-hidden />
  return (
    <Suspense fallback={<Bell className={className} aria-hidden />}>
      <OtherIcon name={name} className={className} />
    </Suspense>
  )
}

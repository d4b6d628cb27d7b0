import {
  Archive,
  BookOpen,
  Briefcase,
  Building2,
  Calculator,
  Calendar,
  Camera,
  Car,
  ChartLine,
  ClipboardList,
  Code,
  Coins,
  Database,
  FileText,
  FlaskConical,
  Folder,
  Gavel,
  Globe,
  GraduationCap,
  Hammer,
  Heart,
  House,
  Key,
  Landmark,
  Leaf,
  Library,
  Lightbulb,
  Mail,
  Map,
  Music,
  Newspaper,
  Package,
  Palette,
  Plane,
  Receipt,
  Scale,
  ScrollText,
  Shield,
  ShoppingCart,
  Star,
  Stethoscope,
  Users,
  Utensils,
  Wrench,
  type LucideIcon,
} from "lucide-react"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { classNames } from "../class-names.ts"

/** The icons that a folder can have. Their names are translated in the `folders` strings under `icon`. */
export const folderIcons = {
  Folder,
  BookOpen,
  Library,
  FileText,
  Newspaper,
  ClipboardList,
  Briefcase,
  Building2,
  Landmark,
  Scale,
  Gavel,
  ScrollText,
  Receipt,
  Coins,
  Calculator,
  ChartLine,
  Users,
  Heart,
  Stethoscope,
  GraduationCap,
  FlaskConical,
  Lightbulb,
  Code,
  Database,
  Globe,
  Map,
  Plane,
  Car,
  House,
  Key,
  Hammer,
  Wrench,
  Package,
  ShoppingCart,
  Utensils,
  Leaf,
  Music,
  Camera,
  Palette,
  Mail,
  Calendar,
  Shield,
  Star,
  Archive,
} as const satisfies Record<string, LucideIcon>

export type FolderIconName = keyof typeof folderIcons

const isFolderIcon = (name: string | undefined): name is FolderIconName =>
  name !== undefined && Object.hasOwn(folderIcons, name)

interface FolderIconProps {
  folder: Pick<FolderEntry, "iconName" | "accentColor">
  className?: string
}

/** A folder's icon in its colour. An unknown icon is shown as a folder. */
export function FolderIcon({ folder: { iconName, accentColor }, className }: FolderIconProps) {
  const Icon = folderIcons[isFolderIcon(iconName) ? iconName : "Folder"]
  return (
    <Icon
      className={classNames("shrink-0", className ?? "size-4", accentColor === undefined && "text-faint")}
      // Colours are chosen on white, so they are lightened on dark backgrounds.
      style={{
        color: accentColor && `light-dark(${accentColor}, color-mix(in oklab, ${accentColor} 70%, white))`,
      }}
      aria-hidden
    />
  )
}

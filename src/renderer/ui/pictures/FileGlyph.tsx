import {
  CalendarDays,
  Contact,
  File,
  FileArchive,
  FileCode,
  FileImage,
  FileMusic,
  FilePlay,
  FileSpreadsheet,
  FileText,
  Mail,
  Presentation,
  type LucideIcon,
} from "lucide-react"
import { createElement } from "react"
import { classNames } from "../class-names.ts"

const kinds: [icon: LucideIcon, endings: string][] = [
  [FileText, "pdf doc docx odt rtf txt md markdown html htm tex log epub"],
  [FileSpreadsheet, "xls xlsx xlsb ods csv tsv numbers"],
  [Presentation, "ppt pptx odp key"],
  [FileImage, "png jpg jpeg gif webp bmp tif tiff svg heic"],
  [FileCode, "json xml yaml yml toml js ts tsx jsx py java c h cpp cs go rs rb php sh sql css"],
  [Mail, "eml msg mbox mbx"],
  [CalendarDays, "ics ical vcs"],
  [Contact, "vcf vcard"],
  [FileArchive, "zip gz tar 7z rar p7m"],
  [FileMusic, "mp3 wav ogg flac m4a"],
  [FilePlay, "mp4 mov mkv avi webm"],
]

const byEnding = new Map(
  kinds.flatMap(([icon, endings]) => endings.split(" ").map((ending) => [ending, icon] as const)),
)

/** An icon for the file type, by file extension. */
export function FileGlyph({ name, className }: { name: string; className?: string }) {
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return createElement(byEnding.get(ending) ?? File, {
    className: classNames("shrink-0 text-faint", className ?? "size-4"),
    strokeWidth: 1.75,
    "aria-hidden": true,
  })
}

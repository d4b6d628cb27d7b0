import type { ReactNode } from "react"

/** Command groups, in the order shown before anything is typed. */
export const groups = [
  "here",
  "recent",
  "chats",
  "actions",
  "screens",
  "settings",
  "assistants",
  "projects",
  "folders",
  "files",
  "messages",
  "passages",
] as const
export type Group = (typeof groups)[number]

/** A screen or action in the palette. */
export interface Command {
  /** A stable ID, so that recent commands are recognised. */
  id: string
  group: Group
  name: string
  /** Alternative names: "mute" for notifications. */
  words?: string
  /** Its location, or the matching text. */
  detail?: string
  /** Which of the two is a file name. */
  fileName?: "name" | "detail"
  icon: ReactNode
  /** Set for kinds with too many commands to list before anything is typed. */
  isSearchOnly?: true
  /** Its shortcut. */
  keys?: string[]
  run: () => void
}
